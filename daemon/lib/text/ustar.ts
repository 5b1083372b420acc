/*
 * Implemented here because restoring a backup accepts only headers that are byte for byte what this module writes. A
 * general reader (tar-stream) also accepts links, devices and extended headers, each of which would have to be detected
 * and rejected.
 */

/** The block size of a tar archive: a header is one block, and contents are padded to a multiple of it. */
export const TAR_BLOCK = 512;

const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Eleven octal digits. */
const SIZE_MAX = 0o77777777777;

/** A regular file in a tar archive. */
export interface TarEntry {
  path: string;
  bytes: number;
  /** Whole seconds since the epoch. */
  modified: number;
}

/** The number of zero bytes that pad contents of `bytes` bytes. */
export const computePadding = (bytes: number): number => (TAR_BLOCK - (bytes % TAR_BLOCK)) % TAR_BLOCK;

/** Splits `path` into the two fields of the header, or returns undefined when it does not fit. */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(prefix) > PREFIX_BYTES) return undefined;
    if (Buffer.byteLength(name) <= NAME_BYTES && name !== '') return { name, prefix };
  }
  return undefined;
}

/** Whether a file of that path and size can be represented in the format. */
export const canStoreInTar = (path: string, bytes: number): boolean =>
  splitPath(path) !== undefined && bytes <= SIZE_MAX;

function computeChecksum(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

/**
 * The header of a regular file, mode 0600 (POSIX ustar). Throws RangeError when it cannot be represented in the format.
 */
export function tarHeader({ path, bytes, modified }: TarEntry): Buffer {
  const split = splitPath(path);
  if (!split || bytes > SIZE_MAX) throw new RangeError(`${path} does not fit into a tape archive.`);
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(split.name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(bytes, 11)}\0`, 124);
  header.write(`${octal(modified, 11)}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(split.prefix, 345);
  header.write(`${octal(computeChecksum(header), 6)}\0 `, 148);
  return header;
}

function textIn(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
}

function numberIn(header: Buffer, from: number, length: number): number {
  return Number.parseInt(textIn(header, from, length), 8);
}

/**
 * Parses a header written by `tarHeader`. Returns undefined for any other header: of a link, a folder or a device, or a
 * damaged one.
 */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  const [bytes, modified] = [numberIn(header, 124, 12), numberIn(header, 136, 12)];
  const [name, prefix] = [textIn(header, 0, NAME_BYTES), textIn(header, 345, PREFIX_BYTES)];
  const entry = { path: prefix === '' ? name : `${prefix}/${name}`, bytes, modified };
  // Whatever the fields were taken for, it is the same block only if it was written so.
  return canStoreInTar(entry.path, bytes) && tarHeader(entry).equals(header) ? entry : undefined;
}
