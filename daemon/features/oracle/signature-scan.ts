/** 64-bit words of a signature, times four: every vector is told from others by 256 signs. */
export const SIGNATURE_BYTES = 32;
const PAGE_BYTES = 65_536;

/** WebAssembly's opcodes that the scan is made of, by their names in its specification. */
const OP = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  i32Store16: 0x3b,
  i32Const: 0x41,
  i32Eqz: 0x45,
  i32Add: 0x6a,
  i32Sub: 0x6b,
} as const;
const SIMD = {
  load: [0xfd, 0x00],
  xor: [0xfd, 0x51],
  popcnt: [0xfd, 0x62],
  addBytes: [0xfd, 0x6e],
  pairwiseBytes: [0xfd, 0x7d],
  pairwiseShorts: [0xfd, 0x7f],
} as const;
const extractInt = (lane: number) => [0xfd, 0x1b, lane];

/**
 * `scan(rows, count, query, distances)`: for each of `count` signatures the number of signs that differ from the query's, as 16 bits. Written out as bytes
 * because a text or a compiler for twenty instructions would be more to carry than they are.
 */
function scanModule(): Uint8Array<ArrayBuffer> {
  const get = (local: number) => [OP.localGet, local];
  const set = (local: number) => [OP.localSet, local];
  const loadAt = (local: number, offset: number) => [...get(local), ...SIMD.load, 0, offset];
  const advance = (local: number, by: number) => [...get(local), OP.i32Const, by, OP.i32Add, ...set(local)];
  const [rows, count, query, distances, sums] = [0, 1, 2, 3, 4] as const;
  const half = (offset: number) => [...loadAt(rows, offset), ...loadAt(query, offset), ...SIMD.xor, ...SIMD.popcnt];
  const body = [
    ...[1, 1, 0x7b], // one local of type v128
    ...[OP.block, 0x40, OP.loop, 0x40],
    ...[...get(count), OP.i32Eqz, OP.brIf, 1],
    ...[...half(0), ...half(16), ...SIMD.addBytes, ...SIMD.pairwiseBytes, ...SIMD.pairwiseShorts, ...set(sums)],
    ...get(distances),
    ...[...get(sums), ...extractInt(0), ...get(sums), ...extractInt(1), OP.i32Add],
    ...[...get(sums), ...extractInt(2), OP.i32Add, ...get(sums), ...extractInt(3), OP.i32Add],
    ...[OP.i32Store16, 0, 0],
    ...[...advance(rows, SIGNATURE_BYTES), ...advance(distances, 2)],
    ...[...get(count), OP.i32Const, 1, OP.i32Sub, ...set(count)],
    ...[OP.br, 0, OP.end, OP.end, OP.end],
  ];
  const name = (text: string) => [text.length, ...Buffer.from(text)];
  const size = (bytes: readonly number[]) => (bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]);
  const section = (id: number, content: readonly number[]) => [id, ...size(content), ...content];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
    ...section(2, [1, ...name('m'), ...name('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('scan'), 0x00, 0]),
    ...section(10, [1, ...size(body), ...body]),
  ]);
}

type Scan = (rows: number, count: number, query: number, distances: number) => void;

/** Signatures of 256 signs by slot, in memory of WebAssembly's own, where two instructions count sixteen bytes of differing signs at once. */
export class SignatureScan {
  private readonly memory = new WebAssembly.Memory({ initial: 2 });
  private readonly scan: Scan;
  private slots = 0;
  private room = 0;

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(scanModule()), { m: { memory: this.memory } });
    this.scan = instance.exports['scan'] as Scan;
    this.reserve(1024);
  }

  put(slot: number, signature: Uint8Array): void {
    if (slot >= this.room) this.reserve(Math.ceil(Math.max(slot + 1, this.room * 1.5)));
    this.slots = Math.max(this.slots, slot + 1);
    new Uint8Array(this.memory.buffer, SIGNATURE_BYTES * (1 + slot), SIGNATURE_BYTES).set(signature);
  }

  /** For every slot so far, how many of the 256 signs differ from `signature`'s. Valid until the next call. */
  distances(signature: Uint8Array): Uint16Array {
    new Uint8Array(this.memory.buffer, 0, SIGNATURE_BYTES).set(signature);
    const at = SIGNATURE_BYTES * (1 + this.room);
    this.scan(SIGNATURE_BYTES, this.slots, 0, at);
    return new Uint16Array(this.memory.buffer, at, this.slots);
  }

  /** Memory: the query, the signatures, then the distances. */
  private reserve(room: number): void {
    this.room = room;
    const missing = SIGNATURE_BYTES * (1 + room) + 2 * room - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }
}
