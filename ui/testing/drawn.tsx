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
import { createStandInDocument, StandInNode } from './stand-in-dom.js';

/** Runs what makes React draw, and waits for the drawing. */
export const soon = (run: () => unknown) => act(async () => void run());

/** Observes nothing. */
class StandInObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** Finds every element to be in view. */
class StandInIntersections extends StandInObserver {
  constructor(private readonly told: (entries: object[]) => void) {
    super();
  }

  override observe(): void {
    this.told([{ isIntersecting: true }]);
  }
}

const removals = new Set<() => Promise<void>>();

/** Gives each test of a file what a drawn part looks for in a browser, and takes it away with the part afterwards. */
export function inStandInBrowser(): void {
  beforeEach(() => {
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('self', globalThis);
    vi.stubGlobal('location', new URL('http://127.0.0.1:4400/app/'));
    vi.stubGlobal('document', createStandInDocument());
    vi.stubGlobal('HTMLIFrameElement', class {});
    for (const name of ['MutationObserver', 'ResizeObserver']) vi.stubGlobal(name, StandInObserver);
    vi.stubGlobal('IntersectionObserver', StandInIntersections);
    vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: () => '' }));
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.stubGlobal('scrollTo', () => undefined);
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  });
  afterEach(async () => {
    for (const remove of removals) await remove();
    removals.clear();
    vi.unstubAllGlobals();
  });
}

/** Renders `what` and returns the element it is in, and functions that render again and unmount. */
export async function draw(what: ReactNode) {
  const place = new StandInNode(1, 'DIV', createStandInDocument());
  const root = createRoot(place as unknown as Element, { onCaughtError: () => undefined });
  const redraw = (next: ReactNode) => soon(() => root.render(next));
  await redraw(what);
  const remove = () => soon(() => root.unmount());
  removals.add(remove);
  return { place, words: () => place.words, redraw, remove };
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

const labelOf = (node: StandInNode, all: readonly StandInNode[]): string => {
  const spoken = node.getAttribute('aria-label');
  if (spoken !== null) return spoken;
  const label = all.find((one) => one.nodeName === 'LABEL' && one.getAttribute('for') === node.getAttribute('id'));
  if (label && node.getAttribute('id') !== null) return label.words;
  return node.parentNode?.nodeName === 'LABEL' ? node.parentNode.words : node.words;
};

/** Goes on also while a test fakes the clock. */
const later = setTimeout;
/** A call that a test holds back is not waited for. */
const TURNS_MAX = 20;
/** An answer may lead to another call. */
const IDLE_TURNS = 2;
const FIELDS = ['INPUT', 'TEXTAREA', 'SELECT'];
const NATIVE = { preventDefault() {}, stopPropagation() {}, timeStamp: 0, defaultPrevented: false };

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

/** What was drawn, and how it is used: by the labels of its fields and buttons. */
class DrawnPart {
  constructor(
    readonly place: StandInNode,
    readonly client: QueryClient,
    readonly drafts: Drafts,
    /** The path and search of the address. */
    readonly address: () => string,
  ) {}

  words(): string {
    return this.place.words;
  }

  /** The names of the buttons, in their order. */
  buttons(): string[] {
    return this.findAll(['BUTTON']).map(({ label }) => label);
  }

  button(label: Label): StandInNode {
    return this.findOne(['BUTTON'], label);
  }

  field(label: Label): StandInNode {
    return this.findOne(FIELDS, label);
  }

  /** The first element of this tag that has the label. */
  find(tag: string, label: Label): StandInNode {
    return this.findOne([tag], label);
  }

  press(label: Label): Promise<void> {
    return this.send(this.button(label), 'click');
  }

  /** Types into a field, or chooses an option of it. */
  async type(label: Label, value: string): Promise<void> {
    const field = this.field(label);
    const isText = field.nodeName !== 'SELECT';
    // Loaded without a browser, React learns of a changed text from the keys of the field that has the focus.
    if (isText) await this.send(field, 'focusin');
    field['value'] = value;
    await this.send(field, isText ? 'keyup' : 'change');
    if (isText) await this.send(field, 'focusout');
  }

  tick(label: Label, checked: boolean): Promise<void> {
    const field = this.field(label);
    field['checked'] = checked;
    return this.send(field, 'click');
  }

  /** Presses a key in the field. */
  async hit(label: Label, key: string): Promise<void> {
    const field = this.field(label);
    await this.send(field, 'focusin');
    await this.send(field, 'keydown', { key });
  }

  submit(): Promise<void> {
    return this.send(this.findOne(['FORM'], /(?:)/), 'submit');
  }

  /** Sends an event to an element as the browser does. */
  async send(node: StandInNode, type: string, more: object = {}): Promise<void> {
    await soon(() => {
      // React listens to a few events, as that of scrolling, at the element itself.
      for (const isEarly of [true, false])
        for (const one of [...this.place.listeners, ...(node === this.place ? [] : node.listeners)])
          if (one.type === type && one.isEarly === isEarly) one.listener({ ...NATIVE, type, target: node, ...more });
    });
    await this.settle();
  }

  /** Waits until the calls that were made are answered and drawn. */
  async settle(): Promise<void> {
    for (let turn = 0, idle = 0; turn < TURNS_MAX && idle < IDLE_TURNS; turn++) {
      await act(() => new Promise<void>((resolve) => later(resolve)));
      idle = this.client.isFetching() + this.client.isMutating() > 0 ? 0 : idle + 1;
    }
  }

  private findAll(tags: readonly string[]): { node: StandInNode; label: string }[] {
    const all = this.place.listAll();
    return all.filter(({ nodeName }) => tags.includes(nodeName)).map((node) => ({ node, label: labelOf(node, all) }));
  }

  private findOne(tags: readonly string[], label: Label): StandInNode {
    const found = this.findAll(tags);
    const one = found.find((each) => (typeof label === 'string' ? each.label === label : label.test(each.label)));
    if (!one) throw new Error(`There is no ${label} among: ${found.map((each) => each.label).join(' | ')}`);
    return one.node;
  }
}
