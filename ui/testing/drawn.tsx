import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, vi } from 'vitest';
import { ToastRegion } from '../components/toasts.js';
import { Drafts, DraftsContext } from '../lib/drafts.js';

/** Runs what makes React draw, and waits for the drawing. */
export const soon = (run: () => unknown) => act(async () => void run());

/** Finds every element to be in view: nothing is laid out. */
class EverythingInView {
  constructor(private readonly told: (entries: object[]) => void) {}

  observe(): void {
    this.told([{ isIntersecting: true }]);
  }

  unobserve(): void {}
  disconnect(): void {}
}

const removals = new Set<() => Promise<void>>();

/** Removes what a test has drawn, and its stand-ins, after each test of a file. The file runs in `happy-dom`. */
export function removeAfterEach(): void {
  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    vi.stubGlobal('IntersectionObserver', EverythingInView);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('This test has no daemon.')));
  });
  afterEach(async () => {
    for (const remove of removals) await remove();
    removals.clear();
    vi.unstubAllGlobals();
  });
}

/** Renders `what` and returns the element it is in, and functions that render again and unmount. */
export async function draw(what: ReactNode) {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place, { onCaughtError: () => undefined });
  const redraw = (next: ReactNode) => soon(() => root.render(next));
  await redraw(what);
  const remove = async () => {
    await soon(() => root.unmount());
    place.remove();
  };
  removals.add(remove);
  return { place, words: () => place.textContent ?? '', redraw, remove };
}

/** A call of the daemon by a drawn page. */
export interface MadeCall {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

/** What a stand-in daemon answers: a value, or the status of a refusal. */
type Answer = (call: MadeCall) => { status?: number; body: unknown } | undefined;

/** Replaces the daemon: every call is kept, and answered with `{}` unless `answer` says otherwise. */
export function stubDaemon(answer: Answer = () => undefined): MadeCall[] {
  const calls: MadeCall[] = [];
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body, headers = {} }: RequestInit = {}) => {
    const call = { method, path, body: body === undefined ? undefined : JSON.parse(String(body)), headers };
    calls.push(call as MadeCall);
    const { status = 200, body: answered } = answer(call as MadeCall) ?? { body: {} };
    return new Response(JSON.stringify(answered), { status, headers: { 'content-type': 'application/json' } });
  });
  return calls;
}

const labelOf = (element: Element): string =>
  element.getAttribute('aria-label') ??
  (element as HTMLInputElement).labels?.[0]?.textContent ??
  element.textContent ??
  '';

/** Goes on also while a test fakes the clock. */
const later = setTimeout;
/** A call that a test holds back is not waited for. */
const TURNS_MAX = 20;
/** An answer may lead to another call. */
const IDLE_TURNS = 2;
const FIELDS = 'input, textarea, select';

interface Surroundings {
  /** What queries have read. */
  known?: readonly (readonly [key: readonly unknown[], data: unknown])[];
  /** The route that the part belongs to, and the address at which it is drawn. */
  route?: string;
  at?: string;
}

function createTestRouter(what: ReactNode, route: string, at: string) {
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: route, component: () => what });
  return createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory({ initialEntries: [at] }),
    isServer: false,
    defaultNotFoundComponent: () => null,
    defaultErrorComponent: ({ error }) => {
      throw error;
    },
  });
}

/** Draws a part of the dashboard as it is in the page: with queries, links, drafts and toasts. */
export async function drawPart(what: ReactNode, { known = [], route = '/', at = route }: Surroundings = {}) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, networkMode: 'always' } },
  });
  for (const [key, data] of known) client.setQueryData(key, data);
  const router = createTestRouter(what, route, at);
  await router.load();
  const drafts = new Drafts({ getItem: () => null, setItem() {}, removeItem() {} });
  const { place } = await draw(
    <QueryClientProvider client={client}>
      <DraftsContext value={drafts}>
        <ToastRegion>
          <RouterProvider router={router} />
        </ToastRegion>
      </DraftsContext>
    </QueryClientProvider>,
  );
  const page = new DrawnPart(place, client, drafts, () => router.state.location.href);
  await page.settle();
  return page;
}

type Label = string | RegExp;
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What was drawn, and how it is used: by the labels of its fields and buttons. */
class DrawnPart {
  constructor(
    readonly place: HTMLElement,
    readonly client: QueryClient,
    readonly drafts: Drafts,
    /** The path and search of the address. */
    readonly address: () => string,
  ) {}

  words(): string {
    return this.place.textContent ?? '';
  }

  /** The names of the buttons, in their order. */
  buttons(): string[] {
    return this.findAll('button').map(labelOf);
  }

  button(label: Label): HTMLButtonElement {
    return this.find('button', label) as HTMLButtonElement;
  }

  field(label: Label): Field {
    return this.find(FIELDS, label) as Field;
  }

  /** The first element of the selector that has the label. */
  find(selector: string, label: Label): HTMLElement {
    const found = this.findAll(selector);
    const is = (said: string) => (typeof label === 'string' ? said === label : label.test(said));
    const one = found.find((each) => is(labelOf(each)));
    if (!one) throw new Error(`There is no ${label} among: ${found.map(labelOf).join(' | ')}`);
    return one;
  }

  async press(label: Label): Promise<void> {
    await this.send(this.button(label), 'click');
  }

  /** Types into a field, or chooses an option of it. */
  async type(label: Label, value: string): Promise<void> {
    const field = this.field(label);
    // React does not notice a value that is set through the property which it observes.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    await this.send(field, field.tagName === 'SELECT' ? 'change' : 'input');
  }

  /** Ticks a box, or takes the tick away. */
  async tick(label: Label): Promise<void> {
    await this.send(this.field(label), 'click');
  }

  /** Presses a key in the field. */
  async hit(label: Label, key: string): Promise<void> {
    const field = this.field(label);
    await soon(() => field.focus());
    await this.send(field, 'keydown', { key });
  }

  async submit(): Promise<void> {
    await this.send(this.find('form', /(?:)/), 'submit');
  }

  /** Sends an event with the properties `more` to an element. */
  async send(element: Element, type: string, more: object = {}): Promise<Event> {
    const event = new (type === 'click' ? MouseEvent : Event)(type, { bubbles: type !== 'scroll', cancelable: true });
    for (const [name, value] of Object.entries(more)) Object.defineProperty(event, name, { value });
    await soon(() => element.dispatchEvent(event));
    await this.settle();
    return event;
  }

  /** Waits until the calls that were made are answered and drawn. */
  async settle(): Promise<void> {
    for (let turn = 0, idle = 0; turn < TURNS_MAX && idle < IDLE_TURNS; turn++) {
      await act(() => new Promise<void>((resolve) => later(resolve)));
      idle = this.client.isFetching() + this.client.isMutating() > 0 ? 0 : idle + 1;
    }
  }

  private findAll(selector: string): HTMLElement[] {
    return [...this.place.querySelectorAll<HTMLElement>(selector)];
  }
}
