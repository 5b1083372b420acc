import { act, Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetched } from './fetched.js';

/** As much of a document as React needs to draw words: elements that hold children, and texts. */
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

/** What is loaded, and when it comes. */
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

/** Draws `what`, and says in words what is there. */
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

describe('a component that is fetched', () => {
  beforeEach(() => {
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('HTMLIFrameElement', class {});
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('is drawn when it has come, and something in its place meanwhile', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[0]?.arrives('the'));
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('is drawn at once when it is known, without being fetched again', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const first = await drawn(<Part name="desk" />);
    await soon(() => calls[0]?.arrives('the'));
    await first.remove();
    const { words } = await drawn(<Part name="wall" />);
    expect(words()).toBe('the wall');
    expect(calls).toHaveLength(1);
  });

  it('that was begun before is drawn at once when it has come', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.arrives('the'));
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('that could not be fetched when it was begun is fetched anew when it is drawn', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.fails());
    const { words } = await drawn(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[1]?.arrives('the'));
    expect(words()).toBe('the desk');
  });

  it('that cannot be fetched throws, and is fetched anew when it is drawn again', async () => {
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

  it('that comes when nobody waits any more draws nothing, and is known from then on', async () => {
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
