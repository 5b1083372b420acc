import type { Message, Turn } from '../../../daemon/contract/conversations.js';

/** A line of the transcript: what was said, the day it opens, and how its turn ended when it is the turn's last. */
export interface Line {
  message: Message;
  /** Set on the first line of a day. */
  day: string | undefined;
  ending: Turn | undefined;
}

const dayOf = (at: string) => new Date(at).toDateString();

/**
 * The transcript as it is read: what a turn answered stands under what it answers, though more was said meanwhile. What still waits is
 * not in it.
 */
export function linesOf(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Line[] {
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    if (turns.get(message.turn)?.state === 'queued') continue;
    const group = groups.get(message.turn);
    if (group) group.push(message);
    else groups.set(message.turn, [message]);
  }
  const lines: Line[] = [];
  let day = '';
  for (const [turn, group] of groups) {
    const record = turns.get(turn);
    group.forEach((message, at) => {
      const its = at === 0 ? dayOf(message.created_at) : day;
      const isLast = at === group.length - 1;
      lines.push({
        message,
        day: its === day ? undefined : message.created_at,
        ending: isLast && record?.state === 'ended' ? record : undefined,
      });
      day = its;
    });
  }
  return lines;
}

/** What waits behind the running turn, in its order. */
export function queueOf(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Message[] {
  return messages.filter((message) => message.role === 'user' && turns.get(message.turn)?.state === 'queued');
}

/** What the last turn was asked, when that turn has ended without an answer. */
export function unanswered(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Message | undefined {
  const ending = linesOf(messages, turns).at(-1)?.ending;
  if (!ending || ending.outcome === 'answered') return undefined;
  return messages.find((message) => message.turn === ending.turn && message.role === 'user');
}

/** The newest thing the operator said, to be edited and said again. */
export function lastSaid(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'user' && !message.from_outside);
}

export interface Block {
  key: number;
  lines: readonly Line[];
}

const BLOCK = 40;

/**
 * Lines in blocks that are drawn or left out together. Places count from the first page, upwards below zero, so that older lines never
 * move newer ones to another block; a block whose lines are as they were keeps its identity.
 */
export function blocksOf(lines: readonly Line[], above: number, before: readonly Block[] = []): Block[] {
  const known = new Map(before.map((block) => [block.key, block]));
  const blocks: { key: number; lines: Line[] }[] = [];
  lines.forEach((line, at) => {
    const key = Math.floor((at - above) / BLOCK);
    const last = blocks.at(-1);
    if (last?.key === key) last.lines.push(line);
    else blocks.push({ key, lines: [line] });
  });
  return blocks.map((block) => {
    const was = known.get(block.key);
    return was && isSame(was.lines, block.lines) ? was : block;
  });
}

function isSame(a: readonly Line[], b: readonly Line[]): boolean {
  return (
    a.length === b.length &&
    a.every((line, at) => {
      const other = b[at];
      return line.message === other?.message && line.ending === other.ending && line.day === other.day;
    })
  );
}
