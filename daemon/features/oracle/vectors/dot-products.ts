import { advance, get, OP, repeat, set, wasmFunction } from './wasm-code.js';

const PAGE_BYTES = 65_536;
/** Number of products that are computed at once. */
const LANES = 8;

const SIMD = {
  loadShorts: [0xfd, 0x00, 0, 0],
  loadBytesAsShorts: [0xfd, 0x01, 0, 0],
  extractInt: [0xfd, 0x1b],
  dotShorts: [0xfd, 0xba, 0x01],
  addInts: [0xfd, 0xae, 0x01],
} as const;

type DotProduct = (row: number, query: number, steps: number) => number;

/** Compiles a function that returns the dot product of a row of 8-bit integers and a query of 16-bit integers. */
function dotOver(memory: WebAssembly.Memory): DotProduct {
  const [row, query, steps, sums] = [0, 1, 2, 3] as const;
  const products = [...get(row), ...SIMD.loadBytesAsShorts, ...get(query), ...SIMD.loadShorts, ...SIMD.dotShorts];
  const step = [
    ...products,
    ...get(sums),
    ...SIMD.addInts,
    ...set(sums),
    ...advance(row, LANES),
    ...advance(query, 2 * LANES),
  ];
  const lane = (number: number) => [...get(sums), ...SIMD.extractInt, number];
  const total = [...lane(0), ...lane(1), OP.i32Add, ...lane(2), OP.i32Add, ...lane(3), OP.i32Add];
  return wasmFunction(memory, {
    parameters: 3,
    isTelling: true,
    registers: 1,
    code: [...repeat(steps, step), ...total],
  });
}

/** Vectors of 8-bit integers by slot, in a WebAssembly memory, where one SIMD instruction multiplies eight of them. */
export class DotProducts {
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private readonly dot = dotOver(this.memory);
  /** The length of a row: the dimensions rounded up to whole steps, padded with zeros. */
  private readonly width: number;
  private pointing: Int16Array | undefined;

  constructor(dimensions: number) {
    this.width = Math.ceil(dimensions / LANES) * LANES;
  }

  /** Returns the numbers of a slot for writing. Write them immediately: a call for another slot may move the memory. */
  row(slot: number): Int8Array {
    const missing = this.getStart(slot + 1) - this.memory.buffer.byteLength;
    // Grows in large steps, because each one detaches all views of the memory.
    if (missing > 0) this.memory.grow(Math.ceil(Math.max(missing, this.memory.buffer.byteLength / 2) / PAGE_BYTES));
    return new Int8Array(this.memory.buffer, this.getStart(slot), this.width);
  }

  /**
   * Returns the dot product of a written slot and `query`. Do not change `query` between calls: it is copied only when
   * another array is passed.
   */
  of(slot: number, query: Int16Array): number {
    if (query !== this.pointing) {
      new Int16Array(this.memory.buffer, 0, this.width).fill(0).set(query);
      this.pointing = query;
    }
    return this.dot(this.getStart(slot), 0, this.width / LANES);
  }

  /** Memory layout: the query, then the rows. */
  private getStart(slot: number): number {
    return this.width * (2 + slot);
  }
}
