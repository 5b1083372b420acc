import { patternWith } from '../../../lib/text/pattern.js';
import type {
  FileStructure,
  NewImport,
  NewSymbol,
  ParameterRow,
  ReferenceKind,
} from '../../../storage/database/structure-schema.js';
import { docString, readDocComment } from './doc-comments.js';
import { isCapital, isVariableName, mayPassVariable, SIGN } from './environment-reads.js';
import { readParameters, simpleType } from './parameters.js';
import { isTypeKind, oneLine, stringValue, UNKNOWN, variableName } from './source-text.js';
import type { SyntaxNode } from './syntax-node.js';

const NAME_MAX = 160;
const TEXT_MAX = 200;
const CONSTANT_MAX = 120;
const SYMBOLS_MAX = 20_000;
const REFERENCES_MAX = 100_000;
const FACTS_MAX = 5_000;
/** Names of functions that read an environment variable which their first argument names. */
const ENVIRONMENT_READER = patternWith('i')`
    ^(?:[a-z]+_)?(?:must|try)?_?(?:get|read|look_?up|load|fetch|parse
      |require)?_?env(?:iron(?:ment)?)?(?:_?var(?:iable)?)?(?:_?(?:or|default|with|bool|int|str|string|value
      |flag|list|opt|option|optional|get)\w*)?$
  `;

/** Reads one kind of node before its children are visited. Returns the index of the symbol that the children are in. */
export type Rule = (node: SyntaxNode, extraction: Extraction) => number | undefined;

/** How a language's syntax says what the graph holds. */
export interface LanguageRules {
  /** By type of node. */
  enter: Readonly<Record<string, Rule>>;
  /** Types of nodes that are a use of a name, unless a rule took them. */
  names: ReadonlySet<string>;
  /** Types of nodes that are a use of a type's name. */
  typeNames: ReadonlySet<string>;
  /** Types of nodes that have local names of their own. */
  scopes: ReadonlySet<string>;
  /** Whether a module has methods, as in Ruby. */
  hasModuleMethods?: boolean;
  /** Returns the type or name that the expression before a dot stands for; see `Extraction.qualify`. */
  receiver: (node: SyntaxNode, extraction: Extraction) => string;
}

interface Definition {
  node: SyntaxNode;
  name: SyntaxNode | string | undefined;
  kind: string;
  isExported?: boolean;
  isDeclaration?: boolean;
  /** The node of the parameters, whose names become local. */
  parameters?: SyntaxNode | undefined;
  /** Instead of `parameters`, where another node makes the names local. */
  shown?: SyntaxNode | undefined;
  /** Where the signature ends; default the child `body`. */
  body?: SyntaxNode | undefined;
  /** The node before which the doc comment stands; default `node`. */
  outer?: SyntaxNode | undefined;
  /** Names around it that are not around the node itself, as in `int A::f()`. */
  container?: string;
}

interface PendingReference {
  name: string;
  kind: ReferenceKind;
  line: number;
  symbol: number;
  qualifier: string;
}

/** Collects the structure of one file from its syntax tree. */
export class Extraction {
  package = '';
  isModule = false;
  readonly symbols: NewSymbol[] = [];
  readonly imports: NewImport[] = [];
  readonly environment: { name: string; value?: string; line: number }[] = [];
  /** What the variables of loops run through: names of constants. */
  private readonly loops = new Map<string, string>();
  /** Names of variables that hold the environment itself. */
  readonly environments = new Set<string>();
  readonly routes: { method: string; route: string; handler: string; line: number }[] = [];
  readonly errors: { name: string; kind: string; message: string; line: number }[] = [];
  readonly constants: { name: string; container: string; value: string; line: number }[] = [];
  readonly entries: { name: string; kind: string; line: number }[] = [];
  private readonly references: PendingReference[] = [];
  private readonly taken = new Set<SyntaxNode>();
  private readonly open: { symbol: number; name: string; kind: string }[] = [];
  private readonly scopes: Map<string, string>[] = [new Map()];
  private readonly aliases = new Map<string, string>();
  private readonly fields = new Map<string, string>();
  private readonly defaults = new Set<string>();

  constructor(private readonly rules: LanguageRules) {}

  /** Visits `node` and everything below it. */
  visit(node: SyntaxNode): void {
    const isScope = this.rules.scopes.has(node.type);
    if (isScope) this.scopes.push(new Map());
    const symbol = this.rules.enter[node.type]?.(node, this);
    if (symbol !== undefined) {
      const { name, kind } = this.symbols[symbol] as NewSymbol;
      this.open.push({ symbol, name, kind });
    } else if (!this.taken.has(node)) this.use(node);
    for (const child of node.children) this.visit(child);
    if (symbol !== undefined) this.open.pop();
    if (isScope) this.scopes.pop();
  }

  private use(node: SyntaxNode): void {
    if (this.rules.typeNames.has(node.type)) this.refer('type', node.text, node.line);
    else if (this.rules.names.has(node.type) && !this.isLocal(node.text)) this.refer('read', node.text, node.line);
  }

  /** Excludes `nodes` from being counted as uses of a name. */
  take(...nodes: readonly (SyntaxNode | undefined)[]): void {
    for (const node of nodes) if (node) this.taken.add(node);
  }

  isTaken(node: SyntaxNode): boolean {
    return this.taken.has(node);
  }

  /** The names around the present place, joined by dots. */
  get container(): string {
    return this.open.map(({ name }) => name).join('.');
  }

  /** The name of the nearest class around the present place; empty outside of one. */
  get ownClass(): string {
    const { hasModuleMethods = false } = this.rules;
    return this.open.findLast(({ kind }) => isTypeKind(kind) || (hasModuleMethods && kind === 'module'))?.name ?? '';
  }

  /** Whether the present place is in a function, so that what is declared here is local. */
  get isInFunction(): boolean {
    return this.open.some(({ kind }) => kind === 'function' || kind === 'method') || this.scopes.length > 1;
  }

  /** Adds a symbol and returns its index; undefined when it has no name or there are too many. */
  define(definition: Definition): number | undefined {
    const { node, name, kind, isExported = false, isDeclaration = false, parameters, outer = node } = definition;
    const text = typeof name === 'string' ? name : name?.text;
    if (typeof name === 'object') this.take(name);
    const { shown } = definition;
    const rows = parameters ? this.addParameters(parameters) : shown && readParameters(shown).map(({ row }) => row);
    if (text === undefined || text === '' || text.length > NAME_MAX || this.symbols.length >= SYMBOLS_MAX)
      return undefined;
    const body = definition.body ?? node.get('body');
    const around = [this.container, definition.container ?? ''].filter((part) => part !== '').join('.');
    this.symbols.push({
      name: text,
      kind,
      container: around.slice(0, TEXT_MAX),
      signature: oneLine(node.before(body).slice(0, 1_000), TEXT_MAX),
      doc: readDocComment(outer) || docString(body),
      startLine: outer.line,
      endLine: node.endLine,
      isExported,
      isDeclaration,
      ...(rows === undefined ? {} : { parameters: rows }),
    });
    return this.symbols.length - 1;
  }

  private addParameters(parameters: SyntaxNode): ParameterRow[] {
    return readParameters(parameters).map(({ row, names }) => {
      for (const name of names) {
        this.take(name);
        this.local(name.text, names.length === 1 ? simpleType(row.type) : '');
      }
      return row;
    });
  }

  /** Makes the parameters of a function without a name local. */
  addLocals(parameters: SyntaxNode | undefined): void {
    if (parameters) this.addParameters(parameters);
  }

  /** Declares a local name, or one of the whole file outside of every scope, with its type when that is known. */
  local(name: string, type = ''): void {
    this.scopes.at(-1)?.set(name, type);
  }

  /** Records the type of a variable of the whole file. */
  fileVariable(name: string, type: string): void {
    if (type !== '') this.scopes[0]?.set(name, type);
  }

  isLocal(name: string): boolean {
    return this.scopes.some((scope, depth) => depth > 0 && scope.has(name));
  }

  /** Records the type of a field of the class at the present place. */
  field(name: string, type: string, owner = this.ownClass): void {
    if (type !== '' && owner !== '') this.fields.set(`${owner}#${name}`, type);
  }

  /** Declares that the file exports `name` by default. */
  exportDefault(name: string): void {
    this.defaults.add(name);
  }

  /** Declares that `local` is how this file calls `name` of another. */
  alias(local: string, name: string): void {
    if (local !== name) this.aliases.set(local, name);
  }

  /** Returns the type of a variable, `?` for a local one without a known type, else the name itself. */
  qualify(name: string): string {
    for (let depth = this.scopes.length - 1; depth >= 0; depth -= 1) {
      const type = this.scopes[depth]?.get(name);
      if (type !== undefined) return type === '' ? UNKNOWN : type;
    }
    return this.aliases.get(name) ?? name;
  }

  /** Returns the type of the field `name` of `owner`, once the whole file is read. */
  fieldOf(owner: string, name: string): string {
    return owner === '' || owner === UNKNOWN ? UNKNOWN : `${owner}#${name}`;
  }

  /** Records a call of what `name` names, on `receiver` when there is one. */
  call(name: SyntaxNode | undefined, receiver?: SyntaxNode, written = name?.text): void {
    if (!name || written === undefined) return;
    this.take(name);
    this.readByWrapper(name, receiver);
    if (receiver === undefined) {
      if (written !== 'require' && !this.isLocal(written)) this.refer('call', written, name.line);
      return;
    }
    this.refer('call', written, name.line, this.rules.receiver(receiver, this) || UNKNOWN);
  }

  /** `getEnv("LAMP")`: a function of the project that is called as what reads the environment is, or may be one. */
  private readByWrapper(name: SyntaxNode, receiver: SyntaxNode | undefined): void {
    let call = name.parent;
    for (let step = 0; call && !call.get('arguments') && step < 3; step += 1) call = call.parent;
    const first = call?.get('arguments')?.children.find(({ type }) => type !== 'comment');
    const given = variableName(first?.type === 'argument' ? first.children[0] : first);
    if (given === undefined || !isCapital(given.replace(/^\$/, ''))) return;
    const called = name.head(60);
    if (this.environment.some((one) => one.line === name.line && one.name === given)) return;
    if (!given.startsWith(SIGN.constant) && ENVIRONMENT_READER.test(called)) this.readsEnvironment(given, name.line);
    else if (isVariableName(called) && mayPassVariable(called, `${receiver?.head(60) ?? ''} ${first?.head(60) ?? ''}`))
      this.addRead(`${SIGN.given}${called}:${given}`, name.line);
  }

  /** Records a read of a member. */
  member(name: SyntaxNode | undefined, receiver: SyntaxNode | undefined): void {
    if (!name || this.taken.has(name)) return;
    this.take(name);
    this.refer('read', name.text, name.line, receiver ? this.rules.receiver(receiver, this) || UNKNOWN : this.ownClass);
  }

  refer(kind: ReferenceKind, name: string, line: number, qualifier = ''): void {
    if (name === '' || name.length > NAME_MAX || qualifier.length > NAME_MAX) return;
    if (this.references.length >= REFERENCES_MAX) return;
    const meant = qualifier === '' ? (this.aliases.get(name) ?? name) : name;
    this.references.push({ name: meant, kind, line, symbol: this.open.at(-1)?.symbol ?? -1, qualifier });
  }

  import(
    specifier: string,
    line: number,
    names: readonly (readonly [string, string])[] = [],
    isExported = false,
  ): void {
    this.isModule = true;
    if (specifier === '' || specifier.length > 500 || this.imports.length >= FACTS_MAX) return;
    for (const [theirs, ours] of names) if (theirs !== '*' && theirs !== 'default') this.alias(ours, theirs);
    this.imports.push({ specifier, line, isExported, names: names.slice(0, 500) });
  }

  /** Records a read of an environment variable; of one that something else names, as `SIGN` says. */
  readsEnvironment(name: string | undefined, line: number, value?: string): void {
    if (name === undefined || !isVariableName(name.replace(/^\$/, ''))) return;
    const own = this.open.findLast(({ kind }) => kind === 'function' || kind === 'method')?.name;
    const isGiven = name.startsWith(SIGN.constant) && this.isLocal(name.slice(1)) && own !== undefined;
    // What a loop runs through stands behind the place in some languages: `finish` looks at it.
    this.addRead(isGiven ? `${SIGN.wrapper}${own}:${name.slice(1)}` : name, line, value);
  }

  private addRead(name: string, line: number, value?: string): void {
    if (this.environment.length >= FACTS_MAX) return;
    this.environment.push({ name, line, ...(value === undefined ? {} : { value: oneLine(value, CONSTANT_MAX) }) });
  }

  /** Declares that the variable `name` of a loop is each string of what `over` names. */
  runsThrough(name: string, over: SyntaxNode | undefined): void {
    const constant = /^(?:\w+\.)*(_?[A-Z][A-Z0-9_]*)(?:\.(?:items|keys|values)\(\))?$/.exec(over?.head(120) ?? '')?.[1];
    if (constant !== undefined) this.loops.set(name, constant);
  }

  /** Records the strings that a list, or the keys that a table, of this name holds and that may name variables. */
  strings(name: string, value: SyntaxNode | undefined): void {
    for (const one of value?.children ?? []) {
      const text = stringValue(one.get('key') ?? one);
      if (text !== undefined && isCapital(text)) this.constant(`${name}[]`, `"${text}"`, one.line);
    }
  }

  /** Says through which constant a read goes, now that all loops of the file are known. */
  private settled(name: string): string {
    const [, own, variable = ''] = /^(%\w+):(\w+)$/.exec(name) ?? /^(\$)(\w+)$/.exec(name) ?? [];
    const constant = this.loops.get(variable);
    if (constant !== undefined) return `${SIGN.each}${constant}`;
    return own?.startsWith(SIGN.wrapper) ? own : name;
  }

  route(method: string, route: string | undefined, line: number, handler = ''): void {
    if (route === undefined || route.length > TEXT_MAX || this.routes.length >= FACTS_MAX) return;
    this.routes.push({ method: method.toUpperCase(), route, handler: oneLine(handler, 80), line });
  }

  error(name: string, kind: string, message: string, line: number): void {
    if (name === '' || name.length > NAME_MAX || this.errors.length >= FACTS_MAX) return;
    this.errors.push({ name, kind, message: oneLine(message, TEXT_MAX), line });
  }

  constant(name: string, value: string | undefined, line: number, container = this.container): void {
    if (value === undefined || name.length > NAME_MAX || this.constants.length >= FACTS_MAX) return;
    this.constants.push({ name, container, value: oneLine(value, CONSTANT_MAX), line });
  }

  entry(name: string, kind: string, line: number): void {
    if (this.entries.length < FACTS_MAX) this.entries.push({ name, kind, line });
  }

  /** Returns all that was found. References that say the same of one line are one. */
  finish(language: string, role: number): FileStructure {
    const { symbols, imports, routes, errors, constants, entries, isModule } = this;
    const environment = this.environment.map((one) => ({ ...one, name: this.settled(one.name) }));
    for (const one of symbols) if (one.container === '' && this.defaults.has(one.name)) one.isDefault = true;
    const seen = new Set<string>();
    const references = this.references.flatMap((one) => {
      const qualifier = this.resolveField(one.qualifier);
      const key = `${one.line} ${one.kind} ${qualifier} ${one.name}`;
      return seen.has(key) ? [] : [seen.add(key) && { ...one, qualifier }];
    });
    const found = { symbols, references, imports, environment, routes, errors, constants, entries };
    return { language, role, package: this.package, isModule, scripts: [], ...found };
  }

  private resolveField(qualifier: string): string {
    let [owner, ...path] = qualifier.split('#');
    for (const name of path) owner = this.fields.get(`${owner}#${name}`) ?? UNKNOWN;
    return owner ?? '';
  }
}
