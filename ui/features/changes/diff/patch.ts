import parseDiff from 'parse-diff';

export type Side = 'old' | 'new';

/** A line of a hunk with its number on each side where it exists. */
export interface PatchRow {
  kind: 'same' | 'added' | 'removed';
  text: string;
  old: number | undefined;
  new: number | undefined;
  /** The file ends after this line without a line feed. */
  hasNoNewline: boolean;
}

export interface Hunk {
  /** The hunk as the daemon gave it, which identifies it in a request. */
  raw: string;
  /** The line that git found to enclose the hunk, such as a function's name. */
  section: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  rows: readonly PatchRow[];
}

/** A row of the split view. A side is undefined where the other has more lines. */
export interface SplitRow {
  left: PatchRow | undefined;
  right: PatchRow | undefined;
}

const NO_NEWLINE = '\\';

/** Returns the hunks of a file's patch, which begins with its first `@@` line. An empty patch has none. */
export function parsePatch(patch: string): Hunk[] {
  return parseDiff(patch).flatMap(({ chunks }) =>
    chunks.map(({ content, changes, oldStart, oldLines, newStart, newLines }) => ({
      raw: [content, ...changes.map((change) => change.content)].join('\n'),
      section: content.replace(/^@@[^@]*@@ ?/, ''),
      ...{ oldStart, oldLines, newStart, newLines },
      rows: toRows(changes),
    })),
  );
}

function toRows(changes: readonly parseDiff.Change[]): PatchRow[] {
  const rows: PatchRow[] = [];
  for (const change of changes) {
    const last = rows.at(-1);
    if (change.content.startsWith(NO_NEWLINE)) {
      if (last) last.hasNoNewline = true;
      continue;
    }
    const text = change.content.slice(1);
    const line = { text, hasNoNewline: false };
    if (change.type === 'normal') rows.push({ ...line, kind: 'same', old: change.ln1, new: change.ln2 });
    else if (change.type === 'add') rows.push({ ...line, kind: 'added', old: undefined, new: change.ln });
    else rows.push({ ...line, kind: 'removed', old: change.ln, new: undefined });
  }
  return rows;
}

/** Pairs removed lines with the added lines that follow them. */
export function splitRows(rows: readonly PatchRow[]): SplitRow[] {
  const split: SplitRow[] = [];
  let removed: PatchRow[] = [];
  let added: PatchRow[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      split.push({ left: removed[at], right: added[at] });
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === 'added') added.push(row);
    else {
      flush();
      split.push({ left: row, right: row });
    }
  }
  flush();
  return split;
}

/** The side and number under which a line is commented on: the new file's, unless the line was removed. */
export function getPlace(row: PatchRow): { side: Side; line: number } {
  return row.new === undefined ? { side: 'old', line: row.old ?? 1 } : { side: 'new', line: row.new };
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** Returns the lines `start` to `end` of one side as the diff shows them, at most `maxChars` characters. */
export function quoteRows(
  hunks: readonly Hunk[],
  { side, start, end }: { side: Side; start: number; end: number },
  maxChars: number,
): string {
  const lines = hunks.flatMap(({ rows }) => {
    const isIn = (row: PatchRow) => (row[side] ?? 0) >= start && (row[side] ?? 0) <= end;
    return rows.slice(rows.findIndex(isIn), rows.findLastIndex(isIn) + 1).map(({ kind, text }) => SIGNS[kind] + text);
  });
  const whole = lines.join('\n');
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars - 1)}…`;
}

/** Cuts a list into parts of at most `size`, so that those far from the view need not be rendered. */
export function cutBlocks<T>(rows: readonly T[], size: number): { from: number; rows: readonly T[] }[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => ({
    from: at * size,
    rows: rows.slice(at * size, (at + 1) * size),
  }));
}
