import { createHash, type Hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { Type } from 'typebox';
import { DaemonKey } from '../../../contract/shared/commands.js';
import { parseUntrustedJson } from '../../../http/untrusted-json.js';
import { isSignedBy, type SigningKey } from '../../../lib/crypto/ed25519.js';
import { hasForm } from '../../../shared-log/has-form.js';
import { toBase64 } from '../command-envelope.js';
import { toSignedText } from '../signed-text.js';
import type { Cell, Row, TableShape } from './table-rows.js';

/** The only format that this version writes and reads. */
const FORMAT = 1;
/** Longest line in characters. A post has 65,536 at most, a message 64 KiB. */
const LINE_MAX = 4 * 1024 * 1024;
/** The numbers that were given, their list, and one of them. */
const DEPTH_MAX = 3;

/** What a snapshot is of: the stream, and the last command that is in it. */
export interface SnapshotHead {
  network: string;
  /** The identity of the network, which was always the time of its creation when this format was made. */
  created: string;
  sequence: number;
  /** The key of the daemon that made and signed it, base64url. */
  key: string;
}

const Head = Type.Object({
  format: Type.Literal(FORMAT),
  network: Type.String(),
  created: Type.String(),
  sequence: Type.Integer({ minimum: 0 }),
  key: DaemonKey,
});

/** A part of a snapshot. `given` are the highest numbers that were given to rows, by table. */
type SnapshotPart =
  | { head: SnapshotHead }
  | { table: string; columns: readonly string[] }
  | { row: Row }
  | { given: readonly (readonly [table: string, seq: number])[] };

/** A snapshot that cannot be used: damaged, forged, or of a meshd with other tables. */
export class UnusableSnapshotError extends Error {
  override readonly name = 'UnusableSnapshotError';
}

const toJsonCell = (cell: Cell) => (Buffer.isBuffer(cell) ? { b: cell.toString('base64') } : cell);

function toCell(value: unknown): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  const bytes = (value as { b?: unknown }).b;
  if (typeof bytes !== 'string') throw new UnusableSnapshotError('it holds a cell that is no value of SQLite');
  return Buffer.from(bytes, 'base64');
}

function toLine(part: SnapshotPart): string {
  if ('head' in part) return JSON.stringify({ format: FORMAT, ...part.head });
  return JSON.stringify('row' in part ? part.row.map(toJsonCell) : part);
}

/**
 * Writes a snapshot as lines of JSON: its head, then each table with its rows, then the numbers that were given, then
 * the signature of its maker over all bytes before.
 */
export class SnapshotWriter {
  private readonly hash: Hash = createHash('sha256');

  constructor(
    private readonly key: SigningKey,
    private readonly network: string,
  ) {}

  /** The line of a part, which must be written in this order. */
  line(part: SnapshotPart): string {
    const line = `${toLine(part)}\n`;
    this.hash.update(line);
    return line;
  }

  /** The last line. */
  end(): string {
    const text = toSignedText('snapshot', this.network, this.hash.digest('hex'));
    return `${JSON.stringify({ sig: this.key.sign(text) })}\n`;
  }
}

function parseLine(line: string): SnapshotPart | { sig: string } {
  const value = parseUntrustedJson(Buffer.from(line), { depth: DEPTH_MAX });
  if (typeof value !== 'object' || value === null)
    throw new UnusableSnapshotError('one of its lines is no JSON object');
  if (Array.isArray(value)) return { row: value.map(toCell) };
  if (hasForm(Head, value)) {
    const { network, created, sequence, key } = value as SnapshotHead;
    return { head: { network, created, sequence, key } };
  }
  return value as SnapshotPart | { sig: string };
}

/** Splits UTF-8 bytes into lines without their ends. Throws `UnusableSnapshotError` for a line that is too long. */
async function* toLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX) throw new UnusableSnapshotError('one of its lines is too long');
    yield* lines;
  }
  if (rest !== '') throw new UnusableSnapshotError('it is cut off');
}

/**
 * Reads the lines of a snapshot. Whoever reads must undo everything when it throws, because the signature comes last.
 * Throws `UnusableSnapshotError`.
 */
export async function* readSnapshot(bytes: AsyncIterable<Buffer>, network: string): AsyncGenerator<SnapshotPart> {
  const hash = createHash('sha256');
  let head: SnapshotHead | undefined;
  let isSigned = false;
  for await (const line of toLines(bytes)) {
    if (isSigned) throw new UnusableSnapshotError('it goes on after its signature');
    const part = parseLine(line);
    if ('sig' in part) {
      const isValid =
        head &&
        typeof part.sig === 'string' &&
        isSignedBy(toBase64(head.key), toSignedText('snapshot', network, hash.digest('hex')), part.sig);
      if (!isValid) throw new UnusableSnapshotError('its signature is wrong');
      isSigned = true;
      continue;
    }
    hash.update(`${line}\n`);
    if ('head' in part === (head !== undefined)) throw new UnusableSnapshotError('it does not begin with one head');
    if ('head' in part) head = part.head;
    yield part;
  }
  if (!isSigned) throw new UnusableSnapshotError('it is cut off');
}

/** Throws `UnusableSnapshotError` unless a table of a snapshot has the columns of this store. */
export function requireShape(
  { table, columns }: { table: string; columns: readonly string[] },
  shape?: TableShape,
): TableShape {
  if (!shape) throw new UnusableSnapshotError(`it holds a table "${table}", which is not shared`);
  if (JSON.stringify(columns) !== JSON.stringify(shape.columns))
    throw new UnusableSnapshotError(`its table "${table}" is of another version of meshd: upgrade the older one`);
  return shape;
}
