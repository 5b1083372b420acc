import type { MessageContent } from '../../../../daemon/client/wall-messages/wall-payload.js';
import type { BoardFrame, Vis } from '../../../../daemon/contract/wall.js';

/** Delivery status of a message of this tab: being sent, how many it reached, why it was refused, or unknown. */
export type DeliveryState =
  | { state: 'sending' }
  | { state: 'reached'; count: number }
  | { state: 'refused'; detail: string }
  | { state: 'unknown' };

export interface MessageLine {
  kind: 'said';
  key: number;
  /** Epoch milliseconds. */
  at: number;
  from: string;
  /** Sent from this tab. The handle proves nothing, since anyone may use the same one. */
  isOwn: boolean;
  /** Null for everyone. */
  to: readonly string[] | null;
  said: MessageContent;
  isBeingWritten: boolean;
  /** The first board that one of its hashtags names. */
  board: string | undefined;
  standing: DeliveryState | undefined;
}

export type Note =
  | { what: 'joined'; handle: string; vis: Vis }
  | { what: 'presence'; came: readonly string[]; left: readonly string[] }
  | { what: 'cut'; since: number; until: number }
  | { what: 'board'; frame: BoardFrame }
  | { what: 'error'; detail: string };

export interface NoteLine {
  kind: 'note';
  key: number;
  at: number;
  note: Note;
}

export type WallLine = MessageLine | NoteLine;

/** Returns the messages that were not sent from this tab. */
export const listOfOthers = (lines: readonly WallLine[]): MessageLine[] =>
  lines.filter((line): line is MessageLine => line.kind === 'said' && !line.isOwn);

/** Lines that are rendered or left out together. A block whose lines are unchanged keeps its identity. */
export interface WallBlock {
  key: number;
  lines: readonly WallLine[];
}

const BLOCK = 40;
/** The limits of the log of one cluster in one tab. Beyond either, the oldest lines are dropped. */
export const LINES_MAX = 10_000;
const CHARS_MAX = 24 * 1024 * 1024;

const computeWeight = (line: WallLine): number =>
  line.kind === 'note'
    ? 100
    : line.said.text.length +
      (line.said.data?.length ?? 0) +
      line.said.media.reduce((sum, file) => sum + ('b64' in file ? file.b64.length : file.url.length), 0);

type Fresh<L> = L extends WallLine ? Omit<L, 'key'> : never;

/** The lines of a cluster in this tab, the newest last. Adding, finding and replacing a line take constant time. */
export class WallLog {
  private readonly byBlock = new Map<number, WallLine[]>();
  private readonly changed = new Set<number>();
  private drawn: readonly WallBlock[] = [];
  private next = 0;
  private firstBlock = 0;
  private chars = 0;

  /** The number of lines, including the dropped ones. */
  get total(): number {
    return this.next;
  }

  get isTrimmed(): boolean {
    return this.firstBlock > 0;
  }

  add(line: Fresh<WallLine>): number {
    const key = this.next;
    this.next += 1;
    const block = Math.floor(key / BLOCK);
    const lines = this.byBlock.get(block);
    const added = { ...line, key } as WallLine;
    if (lines) lines.push(added);
    else this.byBlock.set(block, [added]);
    this.changed.add(block);
    this.chars += computeWeight(added);
    while ((this.next - this.firstBlock * BLOCK > LINES_MAX || this.chars > CHARS_MAX) && this.firstBlock < block)
      this.dropFirstBlock();
    return key;
  }

  /** Returns the line; undefined for one that was dropped. */
  find(key: number): WallLine | undefined {
    return this.byBlock.get(Math.floor(key / BLOCK))?.[key % BLOCK];
  }

  findLast(): WallLine | undefined {
    return this.find(this.next - 1);
  }

  /** Replaces the line with the same key. Does nothing if it was dropped. */
  replace(line: WallLine): void {
    const block = Math.floor(line.key / BLOCK);
    const lines = this.byBlock.get(block);
    const was = lines?.[line.key % BLOCK];
    if (!lines || !was) return;
    lines[line.key % BLOCK] = line;
    this.chars += computeWeight(line) - computeWeight(was);
    this.changed.add(block);
  }

  /** Returns the lines after `key`, oldest first. */
  after(key: number): WallLine[] {
    const found: WallLine[] = [];
    for (let at = Math.max(key + 1, this.firstBlock * BLOCK); at < this.next; at += 1) {
      const line = this.find(at);
      if (line) found.push(line);
    }
    return found;
  }

  blocks(): readonly WallBlock[] {
    if (this.changed.size === 0) return this.drawn;
    const known = new Map(this.drawn.map((block) => [block.key, block]));
    this.drawn = [...this.byBlock].map(([key, lines]) => {
      const was = known.get(key);
      return was && !this.changed.has(key) ? was : { key, lines: [...lines] };
    });
    this.changed.clear();
    return this.drawn;
  }

  private dropFirstBlock(): void {
    for (const line of this.byBlock.get(this.firstBlock) ?? []) this.chars -= computeWeight(line);
    this.byBlock.delete(this.firstBlock);
    this.changed.add(this.firstBlock);
    this.firstBlock += 1;
  }
}
