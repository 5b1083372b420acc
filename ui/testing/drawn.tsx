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

/** Draws a part of the dashboard as it is in the page: with queries, links, drafts and toasts. */
export async function drawPart(what: ReactNode, { known = [], route = '/', at = route }: Surroundings = {}) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, networkMode: 'always' } },
  });
  for (const [key, data] of known) client.setQueryData(key, data);
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: route, component: () => what });
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory({ initialEntries: [at] }),
    isServer: false,
    defaultNotFoundComponent: () => null,
    defaultErrorComponent: ({ error }) => {
      throw error;
    },
  });
  await router.load();
  const drafts = new Drafts({ getItem: () => null, setItem() {}, removeItem() {} });
  const { place, words, remove } = await draw(
    <QueryClientProvider client={client}>
      <DraftsContext value={drafts}>
        <ToastRegion>
          <RouterProvider router={router} />
        </ToastRegion>
      </DraftsContext>
    </QueryClientProvider>,
  );
  const findAll = (tags: readonly string[]) => {
    const all = place.listAll();
    return all.filter(({ nodeName }) => tags.includes(nodeName)).map((node) => ({ node, label: labelOf(node, all) }));
  };
  const find = (tags: readonly string[], label: string | RegExp): StandInNode => {
    const found = findAll(tags);
    const one = found.find((each) => (typeof label === 'string' ? each.label === label : label.test(each.label)));
    if (!one) throw new Error(`There is no ${label} among: ${found.map((each) => each.label).join(' | ')}`);
    return one.node;
  };
  /** Waits until the calls that were made are answered and drawn. */
  const settle = async () => {
    for (let turn = 0, idle = 0; turn < TURNS_MAX && idle < IDLE_TURNS; turn++) {
      await act(() => new Promise<void>((resolve) => setTimeout(resolve)));
      idle = client.isFetching() + client.isMutating() > 0 ? 0 : idle + 1;
    }
  };
  const send = async (node: StandInNode, type: string, more: object = {}) => {
    await soon(() => {
      for (const isEarly of [true, false])
        for (const one of place.listeners)
          if (one.type === type && one.isEarly === isEarly) one.listener({ ...NATIVE, type, target: node, ...more });
    });
    await settle();
  };
  await settle();
  return {
    words,
    remove,
    client,
    drafts,
    place,
    send,
    /** The path and search of the address. */
    address: () => router.state.location.href,
    /** The first element of this tag that has the label. */
    find: (tag: string, label: string | RegExp) => find([tag], label),
    /** The names of the buttons, in their order. */
    buttons: () => findAll(['BUTTON']).map(({ label }) => label),
    button: (label: string | RegExp) => find(['BUTTON'], label),
    field: (label: string | RegExp) => find(FIELDS, label),
    press: (label: string | RegExp) => send(find(['BUTTON'], label), 'click'),
    /** Types into a field, or chooses an option of it. */
    type: async (label: string | RegExp, value: string) => {
      const field = find(FIELDS, label);
      const isText = field.nodeName !== 'SELECT';
      // Loaded without a browser, React learns of a changed text from the keys of the field that has the focus.
      if (isText) await send(field, 'focusin');
      field['value'] = value;
      await send(field, isText ? 'keyup' : 'change');
      if (isText) await send(field, 'focusout');
    },
    tick: (label: string | RegExp, checked: boolean) => {
      const field = find(FIELDS, label);
      field['checked'] = checked;
      return send(field, 'click');
    },
    /** Presses a key in the field. */
    hit: async (label: string | RegExp, key: string) => {
      const field = find(FIELDS, label);
      await send(field, 'focusin');
      await send(field, 'keydown', { key });
    },
    submit: () => send(find(['FORM'], /(?:)/), 'submit'),
  };
}
