/** What modules of WebAssembly are written with, by the names in its specification. */
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
/** Below 8,192, as a signed number. */
export const constant = (value: number) => [OP.i32Const, (value & 0x7f) | 0x80, value >> 7];
export const get = (local: number) => [OP.localGet, ...unsigned(local)];
export const set = (local: number) => [OP.localSet, ...unsigned(local)];
export const tee = (local: number) => [OP.localTee, ...unsigned(local)];
export const advance = (local: number, by: number) => [...get(local), ...constant(by), OP.i32Add, ...set(local)];

/** `code` again and again until the local `count`, one less each time, is 0. */
export const repeat = (count: number, code: readonly number[]) => [
  ...[OP.block, 0x40, OP.loop, 0x40],
  ...[...get(count), OP.i32Eqz, OP.brIf, 1],
  ...code,
  ...[...get(count), ...constant(1), OP.i32Sub, ...set(count)],
  ...[OP.br, 0, OP.end, OP.end],
];

/** One function over a memory: `parameters` whole numbers in, one out where `isTelling`, then `registers` locals of 128 bits. */
export interface WasmFunction {
  parameters: number;
  isTelling: boolean;
  registers: number;
  code: readonly number[];
}

/** The function, ready to be called. Written out as bytes because a text or a compiler for so few instructions would be more to carry than they are. */
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
