import { AFTER_MAX, PROBLEMS_MAX, type TaskPatch } from '../../contract/work/roadmap.js';

/**
 * A task as parsed from its line in the file and the indented lines `reason:` (or `blocked:`), `after:` and `check:`
 * under it.
 * `heading` is the text of the last heading above it.
 */
export interface TaskLine {
  id: string;
  text: string;
  member: string | null;
  state: 'open' | 'done' | 'blocked';
  reason: string | null;
  after: string[];
  check: string | null;
  line: number;
  heading: string | null;
}

const NAME = '[a-z0-9][a-z0-9._-]{0,63}';
const BOX = String.raw`(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}\[`;
const TASK = new RegExp(
  String.raw`^(\s*${BOX})([ xX-])(\] )(${NAME})(:\s+)(?!\s)(|.*?\S)(\s+@([a-z][a-z0-9-]{1,31}))?(\s*)$`,
);
/** A task item of Markdown that is nested in no other. */
const ITEM = new RegExp(String.raw`^${BOX}[ xX-]\]\s`);
const ID = new RegExp(`^${NAME}$`);
const CHECK_MAX_CHARS = 200;
const HEADING = /^ {0,3}#{1,6}[ \t]+([\s\S]*)/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^ {0,3}(`+|~+)\s*$/;
const COMMENT = /^ {0,3}<!--/;
const COMMENT_END = '-->';
const DETAIL = /^\s+(reason|blocked|after|check):(.*)$/;
/** What ends the lines below a task: one that is not indented, or another item with a box. */
const OTHER = new RegExp(String.raw`^(?:\S|\s+${BOX})`);
const STATES = { ' ': 'open', x: 'done', X: 'done', '-': 'blocked' } as const;
const MARKS = { open: ' ', done: 'x', blocked: '-' } as const;

type DetailName = 'reason' | 'after' | 'check';
type Details = ReadonlyMap<DetailName, { at: number; value: string }>;

const splitLines = (text: string) => text.split('\n');
const withoutReturn = (line: string) => line.replace(/\r$/, '');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * The lines without their returns, and empty where they belong to a comment or a block of code. `unclosed` is the
 * number of the line that begins one without an end.
 */
function readLines(lines: readonly string[]): { shown: string[]; unclosed: number | undefined } {
  let end: string | undefined;
  let begun = 0;
  const shown = lines.map((raw, index) => {
    const line = withoutReturn(raw);
    const begins = end === undefined;
    if (begins) {
      end = COMMENT.test(line) ? COMMENT_END : FENCE.exec(line)?.[1];
      begun = index + 1;
    }
    if (end === undefined) return line;
    const closes = end === COMMENT_END ? line.includes(end) : !begins && FENCE_END.exec(line)?.[1]?.startsWith(end);
    if (closes) end = undefined;
    return '';
  });
  return { shown, unclosed: end === undefined ? undefined : begun };
}

/** The text of a heading without the signs that may close it. */
const readHeading = (line: string) =>
  HEADING.exec(line)?.[1]
    ?.trimEnd()
    .replace(/(?<!#)#+$/, '')
    .trimEnd();

/**
 * The lines below a task, as they are shown, that belong to it, the first of each name. Notes and empty lines may stand
 * between them.
 */
function readDetails(lines: readonly string[], task: number): Details {
  const found = new Map<DetailName, { at: number; value: string }>();
  for (let at = task + 1; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (OTHER.test(line)) break;
    const match = DETAIL.exec(line);
    if (!match) continue;
    const name = match[1] === 'blocked' ? 'reason' : (match[1] as DetailName);
    if (!found.has(name)) found.set(name, { at, value: (match[2] as string).trim() });
  }
  return found;
}

/** The tasks of a roadmap text in order. All other lines are ignored. `problems` holds at most `PROBLEMS_MAX`. */
export function readTasks(text: string): { tasks: TaskLine[]; problems: string[] } {
  const tasks: TaskLine[] = [];
  const seen = new Map<string, number>();
  const problems: string[] = [];
  let heading: string | null = null;
  const { shown, unclosed } = readLines(splitLines(text));
  if (unclosed !== undefined)
    problems.push(`Line ${unclosed}: what begins here has no end, and no task below it counts.`);
  for (const [index, line] of shown.entries()) {
    heading = readHeading(line) ?? heading;
    const match = TASK.exec(line);
    if (!match) {
      if (ITEM.test(line))
        problems.push(
          `Line ${index + 1}: no task, write \`- [ ] id: text\`; an id has small letters, digits, ` +
            '`.`, `_` and `-`.',
        );
      continue;
    }
    const [, , box, , id, , words, , member] = match as unknown as [
      string,
      string,
      keyof typeof STATES,
      string,
      string,
      string,
      string,
      string,
      string?,
    ];
    const first = seen.get(id);
    if (first !== undefined) {
      problems.push(`Line ${index + 1}: the id "${id}" stands in line ${first} already; only that one counts.`);
      continue;
    }
    seen.set(id, index + 1);
    const details = readDetails(shown, index);
    tasks.push({
      id,
      text: words,
      member: member ?? null,
      state: STATES[box],
      reason: details.get('reason')?.value ?? null,
      after: readIds(details.get('after')?.value ?? ''),
      check: details.get('check')?.value.slice(0, CHECK_MAX_CHARS) || null,
      line: index + 1,
      heading,
    });
  }
  return { tasks, problems: [...problems, ...orderProblems(tasks)].slice(0, PROBLEMS_MAX) };
}

/** The ids in a list. What is no id stands as `?`, which is the id of no task. */
const readIds = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .slice(0, AFTER_MAX)
    .map((one) => (ID.test(one) ? one : '?'));

/** Why tasks can never be given out: they wait for one that is not there, or for themselves. */
function orderProblems(tasks: readonly TaskLine[]): string[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return tasks.flatMap(({ id, line, after }) => {
    const missing = [...new Set(after)].filter((other) => !byId.has(other));
    const problems = missing.map(
      (other) => `Line ${line}: "${id}" waits for "${other}", which is no task of the file.`,
    );
    if (waitsForItself(id, after, byId))
      problems.push(`Line ${line}: "${id}" waits for itself: take one task out of its \`after:\`.`);
    return problems;
  });
}

function waitsForItself(id: string, after: readonly string[], byId: ReadonlyMap<string, TaskLine>): boolean {
  const open = [...after];
  const reached = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    for (const further of byId.get(next)?.after ?? [])
      if (!reached.has(further)) {
        reached.add(further);
        open.push(further);
      }
  }
  return false;
}

/** Returns `text` with task `id` changed and every other byte preserved. Undefined when there is no such task. */
export function withTask(text: string, id: string, patch: TaskPatch): string | undefined {
  const task = readTasks(text).tasks.find((one) => one.id === id);
  if (!task) return undefined;
  const lines = splitLines(text);
  const at = task.line - 1;
  const raw = lines[at] as string;
  const match = TASK.exec(withoutReturn(raw)) as RegExpExecArray;
  const ending = raw.endsWith('\r') ? '\r' : '';
  const state = patch.state ?? task.state;
  const words = patch.text === undefined ? task.text : oneLine(patch.text);
  const member = patch.member === undefined ? task.member : patch.member;
  const mark = patch.state === undefined ? match[2] : MARKS[state];
  const tail = patch.member === undefined ? (match[7] ?? '') : member === null ? '' : ` @${member}`;
  lines[at] = `${match[1]}${mark}${match[3]}${id}${match[5]}${words}${tail}${match[9]}${ending}`;
  const reason = state === 'blocked' ? (patch.reason === undefined ? task.reason : patch.reason) : null;
  const indent = `${raw.slice(0, raw.search(/\S/))}  `;
  const set = (name: DetailName, value: string | null) => setDetail(lines, at, name, value, { indent, ending });
  if (reason !== task.reason) set('reason', reason);
  if (patch.after !== undefined) set('after', patch.after.join(', '));
  if (patch.check !== undefined) set('check', patch.check);
  return lines.join('\n');
}

/** Writes, replaces or removes one detail of the task in line `task`. A new reason comes first, the others last. */
function setDetail(
  lines: string[],
  task: number,
  name: DetailName,
  value: string | null,
  { indent, ending }: { indent: string; ending: string },
): void {
  const details = readDetails(readLines(lines).shown, task);
  const before = details.get(name);
  const written = oneLine(value ?? '');
  const line = written === '' ? [] : [`${indent}${name}: ${written}${ending}`];
  const last = Math.max(task, ...[...details.values()].map(({ at }) => at));
  if (before) lines.splice(before.at, 1, ...line);
  else lines.splice(name === 'reason' ? task + 1 : last + 1, 0, ...line);
}
