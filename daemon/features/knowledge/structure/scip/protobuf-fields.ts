/** One field of a protobuf message: a number, or bytes that hold a text, a message or packed numbers. */
export type Field = { number: number; value: number; bytes?: undefined } | { number: number; bytes: Uint8Array };

/** What a reader of untrusted bytes throws: they are no protobuf message. */
export class NotProtobuf extends Error {}

const VARINT_BYTES_MAX = 10;

/**
 * Reads a varint that begins at `at`. Returns its lower 53 bits, and where the next begins. Throws `NotProtobuf` when
 * it does not end.
 */
function readVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  let factor = 1;
  for (let length = 0; length < VARINT_BYTES_MAX; length += 1) {
    const byte = bytes[at + length];
    if (byte === undefined) break;
    if (length < 7) value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, at + length + 1];
    factor *= 0x80;
  }
  throw new NotProtobuf('A number does not end.');
}

/**
 * Yields the fields of a message in their order, without copying; numbers of 32 and 64 bits of fixed size are skipped.
 * Written here because SCIP needs no more than this of protobuf: the packages for it bring a compiler or a runtime of
 * a hundred kilobytes, and decode the whole index at once. Throws `NotProtobuf`.
 */
export function* readFields(bytes: Uint8Array): Generator<Field, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const [key, start] = readVarint(bytes, at);
    const [number, type] = [Math.floor(key / 8), key % 8];
    if (type === 0) {
      const [value, next] = readVarint(bytes, start);
      yield { number, value };
      at = next;
    } else if (type === 2) {
      const [length, from] = readVarint(bytes, start);
      if (from + length > bytes.length) throw new NotProtobuf('A field is longer than its message.');
      yield { number, bytes: bytes.subarray(from, from + length) };
      at = from + length;
    } else if (type === 1 || type === 5) at = start + (type === 1 ? 8 : 4);
    else throw new NotProtobuf(`There is no wire type ${type}.`);
    if (at > bytes.length) throw new NotProtobuf('A field is longer than its message.');
  }
}

/** Reads the numbers of a packed field. Throws `NotProtobuf`. */
export function readPacked(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = readVarint(bytes, at);
    numbers.push(value);
    at = next;
  }
  return numbers;
}
