import { printable, type Terminal } from '../terminal.js';

/** One poll is held by the daemon for at most this many seconds. */
const POLL_SECONDS = 20;
/** Time that a response may take beyond what it is held for, in milliseconds. */
const RESPONSE_MS = 15_000;

interface Followed<T> {
  /** The record as known before following, which is reported at once. */
  first?: T;
  /** Reads the record once it has ended or `hold` seconds have passed. */
  read: (hold: number, timeoutMs: number) => Promise<T>;
  isOver: (record: T) => boolean;
  /** The state in words, which is printed on stderr when it changes. */
  describe: (record: T) => string;
  waitSeconds: number;
}

/** Polls until the record has ended or the deadline has passed. Returns the last one. */
export async function followRecord<T>(
  terminal: Terminal,
  { first, read, isOver, describe, waitSeconds }: Followed<T>,
): Promise<T> {
  const deadline = performance.now() + waitSeconds * 1_000;
  let told = '';
  const tell = (record: T) => {
    const words = describe(record);
    if (words !== told) terminal.note(terminal.colours.dim(printable(words)));
    told = words;
  };
  if (first !== undefined) tell(first);
  for (;;) {
    const left = Math.max(0, (deadline - performance.now()) / 1_000);
    const hold = Math.min(POLL_SECONDS, Math.round(left * 100) / 100);
    const record = await read(hold, hold * 1_000 + RESPONSE_MS);
    if (isOver(record) || left === 0) return record;
    tell(record);
  }
}
