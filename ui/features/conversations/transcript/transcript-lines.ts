import type { Message, Turn } from '../../../../daemon/contract/conversations.js';

/**
 * A line of the transcript: the message, the day if it is the first of that day, and the ended turn if it is the turn's
 * last line.
 */
interface Line {
  message: Message;
  /** Set on the first line of a day. */
  day: string | undefined;
  ending: Turn | undefined;
}

const getDay = (at: string) => new Date(at).toDateString();

/**
 * Returns the transcript in reading order: an answer is below its question even when messages were sent in between.
 * Queued messages are left out.
 */
export function createLines(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Line[] {
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
      const its = at === 0 ? getDay(message.created_at) : day;
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

/** Returns the queued messages in order. */
export function listQueued(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Message[] {
  return messages.filter((message) => message.role === 'user' && turns.get(message.turn)?.state === 'queued');
}

/** Returns the question of the last turn if that turn ended without an answer. */
export function unanswered(messages: readonly Message[], turns: ReadonlyMap<string, Turn>): Message | undefined {
  const ending = createLines(messages, turns).at(-1)?.ending;
  if (!ending || ending.outcome === 'answered') return undefined;
  return messages.find((message) => message.turn === ending.turn && message.role === 'user');
}

/** Returns the operator's newest message, to edit and send again. */
export function findLastUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'user' && !message.from_outside);
}

export interface Block {
  key: number;
  lines: readonly Line[];
}

const BLOCK = 40;

/**
 * Groups lines into blocks that are rendered or left out together. Positions count from the first page, and lines above
 * it have negative positions, so older lines never move newer ones to another block. A block whose lines are unchanged
 * keeps its identity.
 */
export function groupBlocks(lines: readonly Line[], above: number, before: readonly Block[] = []): Block[] {
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
