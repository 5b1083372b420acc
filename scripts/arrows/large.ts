import { parseSync } from 'rolldown/experimental';

interface LongFunction {
  /** The function's own name, or that of the variable, property or method that holds it. */
  name: string;
  /** Line of its first character, from 1. */
  line: number;
  /** Lines from its first character to its last. */
  length: number;
}

interface Node {
  type?: string;
  start: number;
  end: number;
  id?: { name?: string } | null;
  key?: { name?: string };
  body?: { type?: string };
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Returns the name that a node gives to a function directly below it. */
function readName(node: Node): string | undefined {
  return (
    node.id?.name ??
    (/^(?:MethodDefinition|PropertyDefinition|Property)$/.test(node.type ?? '') ? node.key?.name : undefined)
  );
}

/** Returns the functions of `text` with more than `max` lines. Throws for a file that cannot be parsed. */
export function findLongFunctions(file: string, text: string, max: number): LongFunction[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineAt = (place: number) => starts.findLastIndex((start) => start <= place) + 1;
  const found: LongFunction[] = [];
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, name);
      return;
    }
    if (!isNode(node)) return;
    const own = readName(node) ?? name;
    if (/Function/.test(node.type ?? '') && node.body?.type === 'BlockStatement') {
      const line = lineAt(node.start);
      const length = lineAt(node.end - 1) - line + 1;
      if (length > max) found.push({ name: own, line, length });
    }
    for (const value of Object.values(node)) if (isNode(value)) visit(value, own);
  };
  visit(program, 'a function');
  return found;
}

/** Returns the folders with more than `max` of `files`, largest first. */
export function findLargeFolders(files: readonly string[], max: number): { folder: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > max)
    .map(([folder, count]) => ({ folder, count }))
    .sort((a, b) => b.count - a.count);
}
