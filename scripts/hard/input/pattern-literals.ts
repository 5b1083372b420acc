import { dirname, join } from 'node:path';
import { type ESTree, parseSync } from 'rolldown/utils';

/** A regular expression in a source file. */
export interface Pattern {
  source: string;
  flags: string;
  /** Path of the file and line number. */
  at: string;
}

/**
 * Regular expressions of a source tree: those with known text, and the places of those that depend on values known only
 * at run time.
 */
interface Patterns {
  literals: readonly Pattern[];
  madeLater: readonly string[];
}

/** Any node of a syntax tree. */
type Node = { type: string; start: number } & Record<string, unknown>;

interface Module {
  text: string;
  tree: Node;
  /** Initializers of the top-level `const` declarations. */
  constants: Map<string, Node>;
  /** Names imported from other modules of the tree. */
  imports: Map<string, { from: string; name: string }>;
}

const isNode = (value: unknown): value is Node => typeof (value as { type?: unknown } | null)?.type === 'string';

function* getChildren(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield one;
  }
}

function* allIn(node: Node): Generator<Node> {
  yield node;
  for (const child of getChildren(node)) yield* allIn(child);
}

function read(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const tree = program satisfies ESTree.Program as unknown as Node;
  const module: Module = { text, tree, constants: new Map(), imports: new Map() };
  for (const statement of tree['body'] as Node[]) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement;
    if (isNode(declaration) && declaration.type === 'VariableDeclaration' && declaration['kind'] === 'const') {
      for (const { id, init } of declaration['declarations'] as { id: Node; init: Node | null }[]) {
        if (id.type === 'Identifier' && init) module.constants.set(id['name'] as string, init);
      }
    }
    if (statement.type !== 'ImportDeclaration') continue;
    const from = (statement['source'] as { value: string }).value;
    if (!from.startsWith('.')) continue;
    for (const { local, imported } of statement['specifiers'] as { local: Node; imported?: Node }[]) {
      if (!imported) continue;
      const target = join(dirname(path), from).replace(/\.js$/, '.ts');
      module.imports.set(local['name'] as string, { from: target, name: imported['name'] as string });
    }
  }
  return module;
}

/** The syntax trees of the sources. Evaluates constant text without running the code. */
class Sources {
  private readonly modules: Map<string, Module>;

  constructor(files: ReadonlyMap<string, string>) {
    this.modules = new Map([...files].map(([path, text]) => [path, read(path, text)]));
  }

  patterns(): Patterns {
    const literals: Pattern[] = [];
    const madeLater: string[] = [];
    for (const [path, module] of this.modules) {
      for (const node of allIn(module.tree)) {
        const at = () => `${path}:${module.text.slice(0, node.start).split('\n').length}`;
        if (node.type === 'Literal' && node['regex']) {
          const { pattern, flags } = node['regex'] as { pattern: string; flags: string };
          literals.push({ source: pattern, flags, at: at() });
        } else if (isMade(node)) {
          const [source, flags] = node['arguments'] as (Node | undefined)[];
          const known = source && this.text(source, module);
          const knownFlags = flags ? this.text(flags, module) : '';
          if (known === undefined || knownFlags === undefined) madeLater.push(at());
          else literals.push({ source: known, flags: knownFlags, at: at() });
        } else if (isSchemaPattern(node)) {
          const source = this.text(node['value'] as Node, module);
          // The validator compiles schema patterns with this flag.
          if (source !== undefined) literals.push({ source, flags: 'u', at: at() });
        }
      }
    }
    return { literals, madeLater };
  }

  /** Returns the constant text of an expression, or undefined when it is not constant. */
  private text(node: Node, module: Module): string | undefined {
    switch (node.type) {
      case 'Literal':
        return ['string', 'number'].includes(typeof node['value']) ? String(node['value']) : undefined;
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'ParenthesizedExpression':
        return this.text(node['expression'] as Node, module);
      case 'TemplateLiteral':
        return this.filled(node, 'cooked', module);
      case 'TaggedTemplateExpression': {
        const { start, end } = node['tag'] as { start: number; end: number };
        return module.text.slice(start, end) === 'String.raw'
          ? this.filled(node['quasi'] as Node, 'raw', module)
          : undefined;
      }
      case 'BinaryExpression': {
        const [left, right] = [this.text(node['left'] as Node, module), this.text(node['right'] as Node, module)];
        return node['operator'] === '+' && left !== undefined && right !== undefined ? left + right : undefined;
      }
      case 'MemberExpression':
        return (node['property'] as Node)['name'] === 'source'
          ? this.getSource(node['object'] as Node, module)
          : undefined;
      case 'Identifier': {
        const found = this.find(node['name'] as string, module);
        return found && this.text(found.node, found.module);
      }
      default:
        return undefined;
    }
  }

  private filled(template: Node, kind: 'cooked' | 'raw', module: Module): string | undefined {
    const parts = template['quasis'] as { value: { cooked: string; raw: string } }[];
    const between = (template['expressions'] as Node[]).map((one) => this.text(one, module));
    if (between.includes(undefined)) return undefined;
    return parts.map(({ value }, index) => value[kind] + (between[index] ?? '')).join('');
  }

  private getSource(node: Node, module: Module): string | undefined {
    if (node['regex']) return (node['regex'] as { pattern: string }).pattern;
    if (isMade(node)) return this.text((node['arguments'] as Node[])[0] as Node, module);
    if (node.type !== 'Identifier') return undefined;
    const found = this.find(node['name'] as string, module);
    return found && this.getSource(found.node, found.module);
  }

  private find(name: string, module: Module): { node: Node; module: Module } | undefined {
    const node = module.constants.get(name);
    if (node) return { node, module };
    const imported = module.imports.get(name);
    const other = imported && this.modules.get(imported.from);
    return other && this.find(imported.name, other);
  }
}

function isMade(node: Node): boolean {
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  return isCall && (node['callee'] as Node)['name'] === 'RegExp';
}

/** Matches `pattern: '…'` of a JSON schema. */
function isSchemaPattern(node: Node): boolean {
  if (node.type !== 'Property' || node['computed'] === true) return false;
  const key = node['key'] as Node;
  return key['name'] === 'pattern' || key['value'] === 'pattern';
}

/**
 * Returns every regular expression of `files`, a map of path to text: literals, expressions of constant text, and
 * patterns of schemas.
 */
export const patternsIn = (files: ReadonlyMap<string, string>): Patterns => new Sources(files).patterns();
