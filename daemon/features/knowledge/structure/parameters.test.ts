import { describe, expect, it } from 'vitest';
import { parsed } from '../../../testing/parts/code-structure.js';
import { readParameters, simpleType } from './parameters.js';

const parse = parsed();

describe('readParameters', () => {
  const show = (grammar: Parameters<typeof parse>[0], text: string, type: string) => {
    const list = [...parse(grammar, text).below()].find((one) => one.type === type);
    return readParameters(list as NonNullable<typeof list>).map(
      ({ row: { name, type: of, value }, names }) =>
        `${name}${of === undefined ? '' : `: ${of}`}${value === undefined ? '' : ` = ${value}`} (${names.map((one) => one.text)})`,
    );
  };

  it.each([
    ['a, b', ['a (a)', 'b (b)']],
    ['a: number, b?: string', ['a: number (a)', 'b: string (b)']],
    ['a = 1, b: Map<string, number> = new Map()', ['a = 1 (a)', 'b: Map<string, number> = new Map() (b)']],
    ['/* no */ a', ['a (a)']],
    ['...rest: string[]', ['rest: string[] (rest)']],
    ['{ a, b: c, d = e, ...f }: Options', ['{ a, b: c, d = e, ...f }: Options (a,c,d,f)']],
    ['{ a }', ['{ a } (a)']],
    ['[a, b = x]', ['[a, b = x] (a,b)']],
    ['private a: A', ['a: A (a)']],
  ])('of TypeScript in (%s)', (list, rows) => {
    expect(show('typescript', `class X { constructor(${list}) {} }`, 'formal_parameters')).toEqual(rows);
  });

  it("takes an arrow function's one name for the list", () => {
    const arrow = [...parse('typescript', 'x = a => a;').below()].find((one) => one.type === 'arrow_function');
    const only = arrow?.get('parameter');
    expect(readParameters(only as NonNullable<typeof only>).map(({ row, names }) => [row, names.length])).toEqual([
      [{ name: 'a' }, 1],
    ]);
  });

  it.each([
    ['a, b: int = 1, *c, d=2, **e', ['a (a)', 'b: int = 1 (b)', 'c (c)', 'd = 2 (d)', 'e (e)']],
    ['a, /, b, *, c: str', ['a (a)', 'b (b)', 'c: str (c)']],
    ['*a: int', ['a: int (a)']],
  ])('of Python in (%s)', (list, rows) => {
    expect(show('python', `def f(${list}): pass`, 'parameters')).toEqual(rows);
  });

  it.each([
    ['a, b int, c ...string', ['a: int (a)', 'b: int (b)', 'c: string (c)']],
    ['int, string', []],
  ])('of Go in (%s)', (list, rows) => {
    expect(show('go', `package a\nfunc f(${list}) {}`, 'parameter_list')).toEqual(rows);
  });

  it.each([
    ['&self, a: u8, mut b: &str, (c, d): (u8, u8)', ['a: u8 (a)', 'b: &str (b)', '(c, d): (u8, u8) (c,d)']],
    ['#[x] a: u8', ['a: u8 (a)']],
  ])('of Rust in (%s)', (list, rows) => {
    expect(show('rust', `fn f(${list}) {}`, 'parameters')).toEqual(rows);
  });

  it.each([
    ['int a, char *b = 0, int', ['a: int (a)', 'b: char = 0 (b)']],
    ['const Lamp &lamp', ['lamp: Lamp (lamp)']],
    ['int (*call)(int x)', ['(*call)(int x): int (call,x)']],
    ['int sizes[3]', ['sizes[3]: int (sizes)']],
  ])('of C++ in (%s)', (list, rows) => {
    expect(show('cpp', `int f(${list});`, 'parameter_list')).toEqual(rows);
  });

  it.each([
    ['int a, string b = "x", params int[] c', ['a: int (a)', 'b: string = "x" (b)', 'c (c)']],
    ['Kind a', ['a: Kind (a)']],
  ])('of C# in (%s)', (list, rows) => {
    expect(show('c-sharp', `class A { void F(${list}) {} }`, 'parameter_list')).toEqual(rows);
  });

  it('of Java, Ruby and PHP', () => {
    expect(show('java', 'class A { void f(final int a, String... b) {} }', 'formal_parameters')).toEqual([
      'a: int (a)',
      'b (b)',
    ]);
    expect(show('ruby', 'def f(a, b = 1, c:, d: 2, *e, &g); end', 'method_parameters')).toEqual([
      ...['a (a)', 'b = 1 (b)', 'c (c)', 'd = 2 (d)', 'e (e)', 'g (g)'],
    ]);
    expect(show('php', '<?php function f(int $a, $b = 1, ...$c) {}', 'formal_parameters')).toEqual([
      ...['a: int ($a)', 'b = 1 ($b)', 'c ($c)'],
    ]);
  });

  it('are at most forty, in a list as in a pattern', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`).join(', ');
    expect(show('typescript', `function f(${many(41)}) {}`, 'formal_parameters')).toHaveLength(40);
    const list = [...parse('typescript', `function f({ ${many(41)} }) {}`).below()].find(
      ({ type }) => type === 'formal_parameters',
    );
    expect(readParameters(list as NonNullable<typeof list>)[0]?.names).toHaveLength(40);
  });

  it('have types and values of at most a hundred and twenty characters', () => {
    const [row] = show('typescript', `function f(a: ${'T'.repeat(200)} = ${'v'.repeat(200)}) {}`, 'formal_parameters');
    expect(row).toBe(`a: ${'T'.repeat(118)} = ${'v'.repeat(120)} (a)`);
  });

  it('have types and values on one line', () => {
    expect(show('typescript', 'function f(a: {\n  b:   c }) {}', 'formal_parameters')).toEqual(['a: { b: c } (a)']);
  });
});

describe('simpleType', () => {
  it.each([
    ['Lamp', 'Lamp'],
    [': Lamp', 'Lamp'],
    ['  Lamp  ', 'Lamp'],
    ['*Lamp', 'Lamp'],
    ['&mut Lamp', 'Lamp'],
    ["&'a Lamp", 'Lamp'],
    ["&'static mut Lamp", 'Lamp'],
    ["'Lamp'", 'Lamp'],
    ['?Lamp', 'Lamp'],
    ['"Lamp"', 'Lamp'],
    ['const Lamp', 'Lamp'],
    ['readonly Lamp', 'Lamp'],
    ['dyn Lamp', 'Lamp'],
    ['impl Lamp', 'Lamp'],
    ['struct lamp', 'lamp'],
    ['enum lamp', 'lamp'],
    ['class Lamp', 'Lamp'],
    ['final Lamp', 'Lamp'],
    ['volatile Lamp', 'Lamp'],
    ['static Lamp', 'Lamp'],
    ['typename Lamp', 'Lamp'],
    ['const volatile struct lamp *', 'lamp'],
    ['constant', 'constant'],
    ['kinds.Lamp', 'Lamp'],
    ['town::kinds::Lamp', 'Lamp'],
    ['Town\\Lamp', 'Lamp'],
    ['$Lamp', '$Lamp'],
    ['_lamp1', '_lamp1'],
    ['List<Lamp>', 'List'],
    ['Promise<Lamp>', 'Lamp'],
    ['Optional[Lamp]', 'Lamp'],
    ['Option<Arc<Mutex<Lamp>>>', 'Lamp'],
    ['Option<Arc<Mutex<Box<Lamp>>>>', ''],
    ['std::unique_ptr<Lamp>', 'Lamp'],
    ['Arc<dyn Lamp>', 'Lamp'],
    ['Lamp[]', ''],
    ['Lamp []', ''],
    ['Lamp[ ]', ''],
    ['Lamp | undefined', 'Lamp'],
    ['(a: Lamp) => void', ''],
    ['[]Lamp', ''],
    ['{ a: Lamp }', ''],
    ['3', ''],
    ['', ''],
    [undefined, ''],
  ])('of %j is %j', (written, name) => {
    expect(simpleType(written)).toBe(name);
  });

  it.each(
    (
      'Optional Option Arc Box Rc Ref RefMut Cell RefCell Mutex RwLock unique_ptr shared_ptr weak_ptr Readonly ' +
      'Partial Required Pick Omit NonNullable Final ClassVar Annotated Type Promise Awaited'
    ).split(' '),
  )('is what stands in %s', (wrapper) => {
    expect(simpleType(`${wrapper}<Lamp>`)).toBe('Lamp');
  });

  it('is read in the first two hundred characters', () => {
    expect(simpleType(`${' '.repeat(200)}Lamp`)).toBe('');
  });
});
