import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SyntaxKind as Kind } from 'typescript/unstable/ast';
import { API, type Checker, type Project, SymbolFlags, type Symbol as TsSymbol } from 'typescript/unstable/sync';
import { shuffled } from '../../random.js';
import { type Call, emptyFacts, type Facts } from './facts.js';
import { moduleResolver } from './resolve-module.js';
import {
  calledName,
  definedBy,
  each,
  envReadBy,
  type Found,
  importedBy,
  isName,
  locateNode,
  type Name,
  type Node,
} from './typescript-walk.js';

/** Find-references takes a while for each function: it is asked about this many names. */
const NAMES_MAX = 500;

const OPTIONS = {
  allowJs: true,
  noEmit: true,
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'esnext',
  strict: true,
  noImplicitAny: false,
  allowImportingTsExtensions: true,
  types: [],
};

interface Site {
  name: Name;
  isWeak: boolean;
}

/** One code base, opened as an inferred project that allows JavaScript. */
class Reader {
  readonly facts = emptyFacts();
  private readonly found = new Map<string, Found[]>();
  private readonly sites = new Map<string, Site[]>();
  private readonly toPath = (file: string) => file.slice(this.root.length + 1);

  constructor(
    private readonly root: string,
    private readonly files: ReadonlySet<string>,
    private readonly project: Project,
  ) {}

  read(): Facts {
    const manifest = JSON.parse(readFileSync(join(this.root, 'package.json'), 'utf8')) as object;
    const resolve = moduleResolver(this.files, manifest);
    for (const path of this.files) {
      if (!/\.(?:[cm]?[jt]s|tsx)$/.test(path)) continue;
      const file = this.project.program.getSourceFile(join(this.root, path)) as Node | undefined;
      if (file) this.readFile(path, file, resolve);
    }
    this.readCalls();
    return this.facts;
  }

  private readFile(path: string, file: Node, resolve: ReturnType<typeof moduleResolver>): void {
    const strong = new Set<string>();
    each(file, (node) => {
      this.addDefinition(node);
      const call = calledName(node);
      if (call) push(this.sites, call.name.text ?? '', call);
      const imported = importedBy(node);
      const to = imported === undefined ? undefined : resolve(path, imported);
      if (to) strong.add(to);
      for (const { name, node: at } of envReadBy(node))
        this.facts.env.push({ name, ...locateNode(at, this.toPath), ...(name === '' ? { isWeak: true } : {}) });
      this.addExtensions(node);
    });
    this.facts.imports.push(...[...strong].map((to) => ({ from: path, to })));
    for (const [, specifier = ''] of (file.text ?? '').matchAll(
      /\b(?:import|require(?:\.resolve)?)\(["']([^"']+)["']/g,
    )) {
      const to = resolve(path, specifier);
      if (to && !strong.has(to)) this.facts.imports.push({ from: path, to, isWeak: true });
    }
    for (const match of (file.text ?? '').matchAll(/@(?:typedef|callback)\b[^\n]*?([\w$]+)\s*$/gm)) {
      const line = (file.text ?? '').slice(0, match.index).split('\n').length;
      this.facts.definitions.push({ name: match[1] ?? '', kind: 'type', path, line, isWeak: true });
    }
  }

  private addDefinition(node: Node): void {
    const found = definedBy(node);
    if (!found) return;
    const { node: name, ...rest } = found;
    this.facts.definitions.push({ ...rest, ...locateNode(name, this.toPath) });
    if (!found.isWeak && (found.kind === 'function' || found.kind === 'method')) push(this.found, found.name, found);
  }

  private addExtensions(node: Node): void {
    for (const clause of node.heritageClauses ?? [])
      for (const type of clause.types ?? []) {
        const expression =
          type.expression?.kind === Kind.PropertyAccessExpression ? type.expression.name : type.expression;
        if (!expression?.text || !node.name || node.getSourceFile().isDeclarationFile) continue;
        const symbol = follow(this.project.checker, this.project.checker.getSymbolAtLocation(expression));
        const isHere = symbol?.declarations.some(({ path }) => path.startsWith(`${this.root}/`));
        const base =
          isHere && /^[\w$]+$/.test(symbol?.name ?? '') && symbol?.name !== 'default' ? symbol?.name : undefined;
        this.facts.extensions.push({
          name: node.name.text ?? '',
          base: base ?? expression.text,
          ...locateNode(node.name, this.toPath),
        });
      }
  }

  private readCalls(): void {
    const names = shuffled([...this.found.keys()].sort(), 11).slice(0, NAMES_MAX);
    for (const name of names) this.facts.calls.push(...this.callsOf(name));
    this.facts.callsKnownOf = names;
  }

  private callsOf(name: string): Call[] {
    const sites = this.sites.get(name) ?? [];
    if (sites.length === 0) return [];
    const { checker } = this.project;
    const references = new Set<string>();
    for (const { node } of this.found.get(name) ?? [])
      for (const entry of checker.getReferencedSymbolsForNode(node, node.getStart()))
        for (const handle of entry.references) {
          const one = handle.resolve();
          if (one) references.add(`${one.getSourceFile().fileName}:${one.end}`);
        }
    return sites.map(({ name: site, isWeak }) => ({
      name,
      ...locateNode(site, this.toPath),
      target: references.has(`${site.getSourceFile().fileName}:${site.end}`) ? 'here' : this.judge(site),
      ...(isWeak ? { isWeak } : {}),
    }));
  }

  /** Says of a call that find-references does not list whether it certainly goes elsewhere. */
  private judge(site: Name): Call['target'] {
    const { checker } = this.project;
    const symbol = origin(checker, checker.getSymbolAtLocation(site));
    if (!symbol || symbol.declarations.length === 0) return 'unknown';
    const found = new Set((this.found.get(site.text) ?? []).map(({ node }) => formatPlace(node)));
    const isFound = symbol.declarations.some((handle) =>
      found.has(formatPlace((handle.resolve() as Node | undefined)?.name)),
    );
    if (isFound) return 'here';
    const isOutside = symbol.declarations.every(({ path }) => !path.startsWith(`${this.root}/`));
    const isLocal = symbol.declarations.every(({ kind }) => kind === Kind.Parameter);
    return isOutside || isLocal ? 'elsewhere' : 'unknown';
  }
}

function follow(checker: Checker, symbol: TsSymbol | undefined): TsSymbol | undefined {
  if (!symbol || (symbol.flags & SymbolFlags.Alias) === 0) return symbol;
  const target = checker.getAliasedSymbol(symbol);
  return checker.isUnknownSymbol(target) ? undefined : target;
}

/** Follows a symbol through aliases and through the properties of `module.exports` that only name another one. */
function origin(checker: Checker, start: TsSymbol | undefined): TsSymbol | undefined {
  let symbol = follow(checker, start);
  for (let step = 0; symbol && step < 4; step += 1) {
    const declaration = symbol.valueDeclaration?.resolve() as Node | undefined;
    const next = declaration && namedValue(checker, declaration);
    if (!next) break;
    symbol = follow(checker, next);
  }
  return symbol;
}

function namedValue(checker: Checker, declaration: Node): TsSymbol | undefined {
  if (declaration.kind === Kind.ShorthandPropertyAssignment)
    return checker.getShorthandAssignmentValueSymbol(declaration);
  const value = declaration.kind === Kind.PropertyAssignment ? declaration.initializer : exportedValue(declaration);
  return isName(value) ? checker.getSymbolAtLocation(value) : undefined;
}

/** The right side of `exports.f = g`, for any of the nodes that may stand as its declaration. */
function exportedValue(declaration: Node): Node | undefined {
  const whole = declaration.kind === Kind.BinaryExpression ? declaration : (declaration.parent as Node | undefined);
  return whole?.kind === Kind.BinaryExpression ? whole.right : undefined;
}

const formatPlace = (node: Node | undefined) => (node ? `${node.getSourceFile().fileName}:${node.end}` : '');

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Reads a code base in JavaScript or TypeScript with TypeScript's language service. */
export function readTypeScript(root: string, files: readonly string[]): Facts {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-structure-'));
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: OPTIONS, include: [`${root}/**/*`], exclude: [] }));
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`TypeScript opened no project for ${root}.`);
    return new Reader(root, new Set(files), project).read();
  } finally {
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
