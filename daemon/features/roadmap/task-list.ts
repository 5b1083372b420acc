import type { TaskPatch } from '../../contract/roadmap.js';

/**
 * A task as parsed from its line in the file. `reason` is the indented `reason:` line under a blocked task, `heading`
 * the text of the last heading above it.
 */
export interface TaskLine {
  id: string;
  text: string;
  member: string | null;
  state: 'open' | 'done' | 'blocked';
  reason: string | null;
  line: number;
  heading: string | null;
}

const TASK =
  /^(\s*[-*] \[)([ xX-])(\] )([a-z0-9][a-z0-9._-]{0,63})(:\s+)(?!\s)(|.*?\S)(\s+@([a-z][a-z0-9-]{1,31}))?(\s*)$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const REASON = /^\s+reason:(.*)$/;
const STATES = { ' ': 'open', x: 'done', X: 'done', '-': 'blocked' } as const;
const MARKS = { open: ' ', done: 'x', blocked: '-' } as const;

const splitLines = (text: string) => text.split('\n');
const withoutReturn = (line: string) => line.replace(/\r$/, '');

/** The tasks of a roadmap text in order. All other lines are ignored. `problem` reports the first duplicate id. */
export function readTasks(text: string): { tasks: TaskLine[]; problem: string | null } {
  const tasks: TaskLine[] = [];
  const seen = new Map<string, number>();
  let problem: string | null = null;
  let heading: string | null = null;
  let fence: string | undefined;
  const lines = splitLines(text);
  for (const [index, raw] of lines.entries()) {
    const mark = FENCE.exec(raw)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    if (fence === undefined) heading = HEADING.exec(withoutReturn(raw))?.[1] ?? heading;
    const match = TASK.exec(withoutReturn(raw));
    if (!match) continue;
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
      problem ??= `Line ${index + 1}: the id "${id}" stands in line ${first} already; only that one counts.`;
      continue;
    }
    seen.set(id, index + 1);
    const reason = REASON.exec(withoutReturn(lines[index + 1] ?? ''))?.[1]?.trim() ?? null;
    tasks.push({ id, text: words, member: member ?? null, state: STATES[box], reason, line: index + 1, heading });
  }
  return { tasks, problem };
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
  const words = (patch.text ?? task.text).replace(/\s+/g, ' ').trim();
  const member = patch.member === undefined ? task.member : patch.member;
  const mark = patch.state === undefined ? match[2] : MARKS[state];
  const tail = patch.member === undefined ? (match[7] ?? '') : member === null ? '' : ` @${member}`;
  lines[at] = `${match[1]}${mark}${match[3]}${id}${match[5]}${words}${tail}${match[9]}${ending}`;
  const reason = state === 'blocked' ? (patch.reason === undefined ? task.reason : patch.reason) : null;
  if (reason !== task.reason) {
    const indent = `${/^\s*/.exec(match[1] ?? '')?.[0] ?? ''}  `;
    const line =
      reason === null || reason === '' ? [] : [`${indent}reason: ${reason.replace(/\s+/g, ' ').trim()}${ending}`];
    lines.splice(at + 1, task.reason === null ? 0 : 1, ...line);
  }
  return lines.join('\n');
}
