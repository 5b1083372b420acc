import { act, Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetched } from './fetched.js';

/** A stand-in for the DOM with only what React needs to render text: elements with children, and text nodes. */
class Node {
  childNodes: Node[] = [];
  parentNode: Node | null = null;
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly ownerDocument: unknown;
  nodeValue = '';

  constructor(
    readonly nodeType: number,
    readonly nodeName: string,
    document: unknown,
  ) {
    this.ownerDocument = document;
  }

  get tagName(): string {
    return this.nodeName;
  }

  get firstChild(): Node | null {
    return this.childNodes[0] ?? null;
  }

  get words(): string {
    return this.nodeValue + this.childNodes.map((child) => child.words).join('');
  }

  set textContent(text: string) {
    this.childNodes = [];
    this.nodeValue = text;
  }

  appendChild(child: Node): Node {
    return this.insertBefore(child, null);
  }

  insertBefore(child: Node, before: Node | null): Node {
    child.parentNode?.removeChild(child);
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  removeChild(child: Node): Node {
    this.childNodes = this.childNodes.filter((other) => other !== child);
    child.parentNode = null;
    return child;
  }

  addEventListener(): void {}
  removeEventListener(): void {}
}

function newDocument() {
  const document = {
    nodeType: 9,
    activeElement: null,
    defaultView: globalThis,
    documentElement: null,
    addEventListener() {},
    createElement: (name: string) => new Node(1, name.toUpperCase(), document),
    createTextNode: (text: string) => Object.assign(new Node(3, '#text', document), { nodeValue: text }),
  };
  return document;
}

/** A loader whose calls the test resolves or rejects one by one. */
function loading() {
  const calls: { arrives: (words: string) => void; fails: () => void }[] = [];
  const load = () =>
    new Promise<{ default: (props: { name: string }) => ReactNode }>((resolve, reject) => {
      calls.push({
        arrives: (words) => resolve({ default: ({ name }) => `${words} ${name}` }),
        fails: () => reject(new Error('The chunk is gone.')),
      });
    });
  return { load, calls };
}

const soon = (run: () => unknown) => act(async () => void run());

/** Renders `what` and returns functions that read the rendered text, render again and unmount. */
async function drawn(what: ReactNode) {
  const place = new Node(1, 'DIV', newDocument());
  const root = createRoot(place as unknown as Element, { onCaughtError: () => undefined });
  const redraw = (next: ReactNode) => soon(() => root.render(next));
  await redraw(what);
  return { words: () => place.words, redraw, remove: () => soon(() => root.unmount()) };
}

class Caught extends Component<{ children: ReactNode }, { said: string | undefined }> {
  override state: { said: string | undefined } = { said: undefined };

  static getDerivedStateFromError(error: Error) {
    return { said: error.message };
  }

  override render() {
    return this.state.said ?? this.props.children;
  }
}

describe('fetched', () => {
  beforeEach(() => {
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('HTMLIFrameElement', class {});
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('renders the placeholder until the component is loaded', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[0]?.arrives('the'));
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('renders at once without loading again when the component is known', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const first = await drawn(<Part name="desk" />);
    await soon(() => calls[0]?.arrives('the'));
    await first.remove();
    const { words } = await drawn(<Part name="wall" />);
    expect(words()).toBe('the wall');
    expect(calls).toHaveLength(1);
  });

  it('renders at once when it was loaded with begin', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.arrives('the'));
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('loads again on render when the load from begin failed', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.fails());
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[1]?.arrives('the'));
    expect(words()).toBe('the desk');
  });

  it('throws when loading fails, and loads again on the next mount', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const { words, redraw } = await drawn(
      <Caught key="first">
        <Part name="desk" />
      </Caught>,
    );
    await soon(() => calls[0]?.fails());
    expect(words()).toBe('The chunk is gone.');
    await redraw(
      <Caught key="second">
        <Part name="desk" />
      </Caught>,
    );
    expect(words()).toBe('bones');
    await soon(() => calls[1]?.arrives('the'));
    expect(words()).toBe('the desk');
  });

  it('keeps a component that is loaded after unmount and renders nothing', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const gone = await drawn(<Part name="desk" />);
    await gone.remove();
    await soon(() => calls[0]?.arrives('the'));
    expect(gone.words()).toBe('');
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('the desk');
  });
});
