/** One hunk of a file's change. Each line begins with a space, `+`, `-` or `\`. */
interface PatchHunk {
  header: string;
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** The change of one file, as `git diff` prints it with the prefixes `a/` and `b/`. */
export interface PatchFile {
  path: string;
  text: string;
  hunks: PatchHunk[];
}

type Side = 'old' | 'new';

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const HEADER = /^diff --git /;

/**
 * The options of `git diff` whose output `readPatch` reads, whatever the user's configuration says.
 */
export const PATCH_OPTIONS: readonly string[] = [
  ...['--no-color', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/', '--submodule=short', '--relative'],
];

/** Reads the output of `git diff` with `PATCH_OPTIONS`. */
export function readPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let lines: string[] = [];
  const close = () => {
    const file = readFile(lines);
    if (file) files.push(file);
    lines = [];
  };
  for (const line of patch.split('\n')) {
    // A line of a file's content always begins with one of the signs of a hunk.
    if (HEADER.test(line)) close();
    lines.push(line);
  }
  close();
  return files;
}

function readFile(lines: readonly string[]): PatchFile | undefined {
  const path = findPath(lines);
  if (path === undefined) return undefined;
  const hunks: PatchHunk[] = [];
  for (const line of lines) {
    const found = HUNK.exec(line);
    if (found) hunks.push({ header: line, oldStart: Number(found[1]), newStart: Number(found[2]), lines: [] });
    else if (line !== '') hunks.at(-1)?.lines.push(line);
  }
  return { path, text: lines.join('\n').replace(/(?<!\n)\n+$/, ''), hunks };
}

/** The path of a file's header, which precedes all hunks. Without renames, it is the same on both sides. */
function findPath(lines: readonly string[]): string | undefined {
  for (const sign of ['+++ ', '--- ']) {
    const name = lines.find((line) => line.startsWith(sign))?.slice(sign.length);
    if (name !== undefined && name !== '/dev/null') return withoutPrefix(name.replace(/\t$/, ''));
  }
  // Without contents, as for a binary file or a change of mode: `diff --git a/<path> b/<path>`.
  const names = /^diff --git (.*)$/.exec(lines[0] ?? '')?.[1];
  if (names === undefined) return undefined;
  const half = names.slice(0, (names.length - 1) / 2);
  return withoutPrefix(half);
}

const withoutPrefix = (name: string) => unquoted(name).slice('a/'.length);

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Undoes the quoting of git for names with special characters. */
function unquoted(name: string): string {
  if (name[0] !== '"') return name;
  const bytes: number[] = [];
  const inner = Buffer.from(name.slice(1, -1));
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] !== 0x5c) {
      bytes.push(inner[at] as number);
      continue;
    }
    const octal = /[0-7]{3}/.exec(inner.toString('latin1', at + 1, at + 4))?.[0];
    const letter = String.fromCharCode(inner[at + 1] as number);
    bytes.push(octal === undefined ? (ESCAPES[letter] ?? letter.charCodeAt(0)) : Number.parseInt(octal, 8));
    at += octal === undefined ? 1 : 3;
  }
  return Buffer.from(bytes).toString('utf8');
}

/** The lines of a hunk with their number on one side. */
function* numbered({ oldStart, newStart, lines }: PatchHunk, side: Side): Iterable<{ number: number; line: string }> {
  let number = side === 'old' ? oldStart : newStart;
  const absent = side === 'old' ? '+' : '-';
  for (const line of lines) {
    if (line.startsWith(absent) || line.startsWith('\\')) continue;
    yield { number, line };
    number += 1;
  }
}

/** The lines `start` to `end` of one side as the diff shows them; empty unless the diff shows all of them. */
export function quoteLines(file: PatchFile, side: Side, start: number, end: number): string {
  for (const hunk of file.hunks) {
    const shown = [...numbered(hunk, side)].filter(({ number }) => number >= start && number <= end);
    if (shown.length === end - start + 1) return shown.map(({ line }) => line).join('\n');
  }
  return '';
}
