/** Something that a project's own files say of it, with the lines that say so (counted from 1). */
export interface ProjectFact {
  /** One sentence, without the place. */
  sentence: string;
  path: string;
  startLine: number;
  endLine: number;
  /** Whether it is said beside a fact before it, and not only quoted. */
  isAlso?: boolean;
}

/** The files of a project at its root and below, and how to read one. */
export interface ProjectTree {
  paths: readonly string[];
  /** The same paths, where they are looked up often. */
  all?: ReadonlySet<string>;
  linesOf(path: string): readonly string[] | undefined;
}

/** A pattern captures up to the end of a line; a longer line is not one that a person wrote. */
const LINE_MAX_CHARS = 1_000;

/** Returns the lines of a file of the project; none for a path that is not in it. */
export const linesIn = (tree: ProjectTree, path: string): readonly string[] =>
  (tree.all?.has(path) ?? tree.paths.includes(path)) ? (tree.linesOf(path) ?? []) : [];

/** Returns the first line that matches, from 1, and the first group. */
export function findLine(
  tree: ProjectTree,
  path: string,
  pattern: RegExp,
): { line: number; value: string } | undefined {
  const lines = linesIn(tree, path);
  for (let index = 0; index < lines.length; index += 1) {
    const text = lines[index] as string;
    const found = text.length > LINE_MAX_CHARS ? null : pattern.exec(text);
    if (found) return { line: index + 1, value: found[1] ?? '' };
  }
  return undefined;
}

/** Returns the lines of `"name": {` … `}` of a JSON file that is formatted with one key a line; from 1, inclusive. */
export function findJsonBlock(lines: readonly string[], name: string): [start: number, end: number] | undefined {
  const start = lines.findIndex((line) => line.trimStart().startsWith(`"${name}"`) && line.trimEnd().endsWith('{'));
  if (start < 0) return undefined;
  const indent = (lines[start] as string).length - (lines[start] as string).trimStart().length;
  const end = lines.findIndex(
    (line, index) =>
      index > start && line.trimStart().startsWith('}') && line.length - line.trimStart().length <= indent,
  );
  return end < 0 ? undefined : [start + 1, end + 1];
}
