export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string; oldNumber?: number; newNumber?: number };

/**
 * With more differing lines than this on either side, the middle is shown as replaced as a whole. An exact diff would
 * cost too much.
 */
const EXACT_LIMIT = 1_500;

/**
 * Returns the lines that turn `before` into `after`. The longest common subsequence of lines is kept, and removals
 * precede additions.
 *
 * Not the package `diff`: beyond its limit (`maxEditLength`) it returns nothing, where this function shows the middle
 * as replaced, and it has no line numbers. Most of this file would still be needed.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;

  const middleA = a.slice(head, a.length - tail);
  const middleB = b.slice(head, b.length - tail);
  const lines: DiffLine[] = a
    .slice(0, head)
    .map((text, i) => ({ kind: 'same', text, oldNumber: i + 1, newNumber: i + 1 }));
  for (const step of middle(middleA, middleB)) {
    const line: DiffLine = { kind: step.kind, text: step.text };
    if (step.i !== undefined) line.oldNumber = head + step.i + 1;
    if (step.j !== undefined) line.newNumber = head + step.j + 1;
    lines.push(line);
  }
  for (let k = tail; k > 0; k -= 1) {
    lines.push({ kind: 'same', text: a[a.length - k] ?? '', oldNumber: a.length - k + 1, newNumber: b.length - k + 1 });
  }
  return lines;
}

type Step = { kind: DiffLine['kind']; text: string; i?: number; j?: number };

function middle(a: string[], b: string[]): Step[] {
  if (a.length > EXACT_LIMIT || b.length > EXACT_LIMIT) {
    return [
      ...a.map((text, i): Step => ({ kind: 'removed', text, i })),
      ...b.map((text, j): Step => ({ kind: 'added', text, j })),
    ];
  }
  // lengths[i][j] is the length of the longest common subsequence of a[i..] and b[j..].
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const below = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      lengths[i * width + j] = a[i] === b[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(below, right);
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) steps.push({ kind: 'same', text: a[i] ?? '', i: i++, j: j++ });
    else if (
      i < a.length &&
      (j >= b.length || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    )
      steps.push({ kind: 'removed', text: a[i] ?? '', i: i++ });
    else steps.push({ kind: 'added', text: b[j] ?? '', j: j++ });
  }
  return steps;
}

type DiffHunk = { skipped: number; lines: DiffLine[] };

/**
 * Groups the changed lines with `context` lines around them. `skipped` counts the unchanged lines left out before each
 * hunk.
 */
export function hunks(lines: DiffLine[], context = 3): DiffHunk[] {
  const shown = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.kind !== 'same') shown.fill(1, Math.max(0, at - context), at + context + 1);
  });
  const result: DiffHunk[] = [];
  let skipped = 0;
  let open: DiffHunk | undefined;
  lines.forEach((line, at) => {
    if (!shown[at]) {
      skipped += 1;
      open = undefined;
      return;
    }
    if (!open) {
      open = { skipped, lines: [] };
      result.push(open);
      skipped = 0;
    }
    open.lines.push(line);
  });
  return result;
}
