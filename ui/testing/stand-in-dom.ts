type Listener = (event: object) => void;

/**
 * A stand-in for the DOM with only what React needs to draw and to be told of events: elements with attributes and
 * children, and text nodes. Nothing is laid out, and no selector is read.
 */
export class StandInNode {
  [property: string]: unknown;
  childNodes: StandInNode[] = [];
  parentNode: StandInNode | null = null;
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly ownerDocument: unknown;
  readonly attributes = new Map<string, string>();
  readonly listeners: { type: string; isEarly: boolean; listener: Listener }[] = [];
  readonly style = { setProperty() {} };
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

  get firstChild(): StandInNode | null {
    return this.childNodes[0] ?? null;
  }

  /** The options of a select. */
  get options(): StandInNode[] {
    return this.listAll().filter(({ nodeName }) => nodeName === 'OPTION');
  }

  get words(): string {
    return this.nodeValue + this.childNodes.map((child) => child.words).join('');
  }

  set textContent(text: string) {
    this.childNodes = [];
    this.nodeValue = text;
  }

  /** This element and all below it, in their order. */
  listAll(): StandInNode[] {
    return [this, ...this.childNodes.flatMap((child) => child.listAll())];
  }

  appendChild(child: StandInNode): StandInNode {
    return this.insertBefore(child, null);
  }

  insertBefore(child: StandInNode, before: StandInNode | null): StandInNode {
    child.parentNode?.removeChild(child);
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  removeChild(child: StandInNode): StandInNode {
    this.childNodes = this.childNodes.filter((other) => other !== child);
    child.parentNode = null;
    return child;
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  toggleAttribute(): void {}

  addEventListener(type: string, listener: Listener, options?: boolean | { capture?: boolean }): void {
    const isEarly = typeof options === 'object' ? options.capture === true : options === true;
    this.listeners.push({ type, isEarly, listener });
  }

  removeEventListener(): void {}
  attachEvent(): void {}
  detachEvent(): void {}
  focus(): void {}
  blur(): void {}
  click(): void {}
  showModal(): void {}
  close(): void {}
  getBoundingClientRect() {
    return { left: 0, top: 0, width: 0, height: 0 };
  }

  contains(): boolean {
    return false;
  }

  querySelector(): null {
    return null;
  }

  querySelectorAll(): [] {
    return [];
  }
}

/** The types of elements that name none. */
const TYPES: Readonly<Record<string, object>> = { input: { type: 'text' } };

/** A document in which React can create elements. */
export function createStandInDocument() {
  const document = {
    nodeType: 9,
    activeElement: null,
    defaultView: globalThis,
    documentElement: null,
    visibilityState: 'visible',
    addEventListener() {},
    removeEventListener() {},
    querySelector: () => null,
    getElementById: () => null,
    createElement: (name: string) => Object.assign(new StandInNode(1, name.toUpperCase(), document), TYPES[name]),
    createElementNS: (_: string, name: string) => new StandInNode(1, name, document),
    createTextNode: (text: string) => Object.assign(new StandInNode(3, '#text', document), { nodeValue: text }),
  };
  return document;
}
