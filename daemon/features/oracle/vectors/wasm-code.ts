/** WebAssembly opcodes, by their names in the specification. */
export const OP = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Store16: 0x3b,
  i32Const: 0x41,
  i32Eqz: 0x45,
  i32Add: 0x6a,
  i32Sub: 0x6b,
} as const;

export const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)];
/** Encodes a constant below 8,192 as a signed LEB128 number. */
const constant = (value: number) => [OP.i32Const, (value & 0x7f) | 0x80, value >> 7];
export const get = (local: number) => [OP.localGet, ...unsigned(local)];
export const set = (local: number) => [OP.localSet, ...unsigned(local)];
export const tee = (local: number) => [OP.localTee, ...unsigned(local)];
export const advance = (local: number, by: number) => [...get(local), ...constant(by), OP.i32Add, ...set(local)];

/** Returns a loop that runs `code` while the local `count` is not 0, and decrements it each time. */
export const repeat = (count: number, code: readonly number[]) => [
  ...[OP.block, 0x40, OP.loop, 0x40],
  ...[...get(count), OP.i32Eqz, OP.brIf, 1],
  ...code,
  ...[...get(count), ...constant(1), OP.i32Sub, ...set(count)],
  ...[OP.br, 0, OP.end, OP.end],
];

/**
 * A function over a memory: the number of i32 parameters, whether it returns an i32, the number of 128-bit locals, and
 * its code.
 */
interface WasmFunction {
  parameters: number;
  isTelling: boolean;
  registers: number;
  code: readonly number[];
}

/**
 * Compiles the function. It is encoded directly, because an assembler dependency would be larger than these few
 * instructions.
 */
export function wasmFunction<Run>(
  memory: WebAssembly.Memory,
  { parameters, isTelling, registers, code }: WasmFunction,
): Run {
  const i32 = 0x7f;
  const name = (text: string) => [text.length, ...Buffer.from(text)];
  const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content];
  const body = [1, ...unsigned(registers), 0x7b, ...code, OP.end];
  const bytes = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...Array<number>(parameters).fill(i32), ...(isTelling ? [1, i32] : [0])]),
    ...section(2, [1, ...name('m'), ...name('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('run'), 0x00, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { m: { memory } }).exports['run'] as Run;
}
