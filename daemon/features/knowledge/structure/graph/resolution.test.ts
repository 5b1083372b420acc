import { describe, expect, it } from 'vitest';
import { openCodeGraphs } from '../../../../testing/parts/code-structure.js';

const build = openCodeGraphs();

type Files = Record<string, string>;

/** The graph of `files`, built once. */
const built = new WeakMap<Files, ReturnType<typeof build>['queries']>();
function queriesOf(files: Files) {
  const queries = built.get(files) ?? build(files).queries;
  built.set(files, queries);
  return queries;
}

/** The places that call `name`, and `by name` at the end when some are known by their name alone. */
function callers(files: Files, name: string): string[] {
  const { places, byName } = queriesOf(files).callers(name);
  return [...places.map(({ path, startLine }) => `${path}:${startLine}`), ...(byName ? ['by name'] : [])];
}
/** The same of every use. */
function uses(files: Files, name: string): string[] {
  const { places, byName } = queriesOf(files).references(name);
  return [...places.map(({ path, startLine }) => `${path}:${startLine}`), ...(byName ? ['by name'] : [])];
}

describe('a name without anything before it', () => {
  it('means the innermost definition around it, else that at the top of its file', () => {
    const files = {
      'a.ts':
        'function go() {}\nfunction f() {\n  function go() {}\n  go();\n  function deep() { go(); }\n}\n' +
        'function fo() {\n  go();\n}\ngo();\n',
    };
    expect(callers(files, 'f.go')).toEqual(['a.ts:4', 'a.ts:5']);
    expect(callers(files, 'a.go')).toEqual(['a.ts:8', 'a.ts:10']);
  });

  it('means no method and no field of its file, but a type in another one', () => {
    const files = {
      'a.ts':
        'class A {\n  size = 1;\n  go() {}\n  run() { go(); size(); }\n}\nnamespace N { export class Inner {} ' +
        'export function help() {} }\nnew Inner();\nhelp();\n',
    };
    expect([callers(files, 'A.go'), callers(files, 'A.size')]).toEqual([[], []]);
    expect([callers(files, 'Inner'), callers(files, 'help')]).toEqual([['a.ts:7'], []]);
  });

  it('means what another file of its language defines, and of no other language', () => {
    const files = { 'a.rb': 'def light; end\n', 'b.rb': 'light\n', 'c.sh': 'light\n' };
    expect(callers(files, 'light')).toEqual(['b.rb:1']);
  });

  it('means nothing of another file that its file does not import, in a language of modules', () => {
    const files = { 'a.ts': 'export function light() {}\n', 'b.ts': 'export {};\nlight();\n', 'c.py': 'light()\n' };
    expect(callers(files, 'light')).toEqual([]);
    expect(callers({ 'a.py': 'def light():\n    pass\n', 'b.py': 'light()\n' }, 'light')).toEqual([]);
  });

  it('means what any script of a page defines, from a script alone', () => {
    const files = {
      'a.js': 'function light() {}\n',
      'b.js': 'light();\n',
      'c.js': 'export {};\nlight();\n',
      'd.js': 'export function dim() {}\n',
      'e.js': 'dim();\n',
    };
    expect(callers(files, 'light')).toEqual([]);
    expect(callers(files, 'dim')).toEqual([]);
  });

  it('is found by name where several scripts define it', () => {
    const files = {
      'a.rb': 'def light; end\n',
      'b.rb': 'def light; end\n',
      'c.rb': 'light\n',
    };
    expect(callers(files, 'light')).toEqual(['c.rb:1', 'by name']);
  });

  it('means what its file imports under that name, and no other import', () => {
    const files = {
      'a.ts': 'export function light() {}\nexport default function on() {}\n',
      'b.ts': 'export function light() {}\n',
      'c.ts': "import on, { light as shine } from './a.js';\nimport { light } from './b.js';\nshine();\non();\n",
      'd.ts': "import * as all from './a.js';\nlight();\n",
    };
    // `shine` is noted as `light`, which both files have: the first import of the name decides.
    expect(callers(files, 'a.light')).toEqual(['c.ts:3']);
    expect(callers(files, 'a.on')).toEqual(['c.ts:4']);
    expect(callers(files, 'b.light')).toEqual([]);
  });

  it('means what a module exports from inside of a function', () => {
    const files = {
      'a.js': 'function setUp() {\n  exports.late = 1;\n}\n',
      'b.js': "const { late } = require('./a');\nlate();\n",
      'c.js': 'class Late { late() {} }\nmodule.exports = Late;\n',
      'd.js': "const { late } = require('./c');\nlate();\n",
    };
    expect(callers(files, 'setUp.late')).toEqual(['b.js:2']);
    expect(callers(files, 'Late.late')).toEqual([]);
  });

  it('means nothing when it is imported from another project, and any when a file of this one is missing', () => {
    const files = {
      'a.ts': 'export function light() {}\nexport class Lamp { light() {} }\n',
      'b.ts': "import { light } from 'lamps';\nlight();\n",
      'c.ts': "import { light } from './gone.js';\nlight();\n",
      'd.ts': "import { light } from '#gone';\nlight();\n",
      'e.ts': "import { light } from '@/gone';\nlight();\n",
      'f.ts': "import { light } from '~/gone';\nlight();\n",
      'g.ts': "import { light } from '@gone/x';\nlight();\n",
    };
    expect(callers(files, 'a.light')).toEqual(['c.ts:2', 'd.ts:2', 'e.ts:2', 'f.ts:2', 'by name']);
    expect(callers(files, 'Lamp.light')).toEqual([]);
  });

  it.each(['crate::gone::light', 'self::gone::light', 'super::gone::light'])(
    'of Rust imported by %s may mean any',
    (path) => {
      const files = { 'src/a.rs': 'pub fn light() {}\n', 'other/x.rs': `use ${path};\nfn go() { light(); }\n` };
      expect(callers(files, 'light')).toEqual(['other/x.rs:2', 'by name']);
    },
  );

  it.each(['crates::light', 'std::light', 'selfish::light'])('of Rust imported by %s means nothing here', (path) => {
    const files = { 'src/a.rs': 'pub fn light() {}\n', 'other/x.rs': `use ${path};\nfn go() { light(); }\n` };
    expect(callers(files, 'light')).toEqual([]);
  });
});

describe('a call without a receiver in a class', () => {
  const classes = (call: string) => ({
    'Base.java': 'package a;\nclass Base { void help() {} void only() {} }\n',
    'Mid.java': 'package a;\nclass Mid extends Base { void help() {} }\n',
    'Use.java': `package a;\nclass Use extends Mid { class In { void run() { ${call} } } void own() {} }\n`,
    'Other.java': 'package b;\nclass Other { void help() {} void own() {} }\n',
  });

  it('means a member of the class, of one around it, or of the nearest class above it', () => {
    expect(callers(classes('own();'), 'Use.own')).toEqual(['Use.java:2']);
    expect(callers(classes('help();'), 'Mid.help')).toEqual(['Use.java:2']);
    expect(callers(classes('help();'), 'Base.help')).toEqual([]);
    expect(callers(classes('only();'), 'Base.only')).toEqual(['Use.java:2']);
    expect(callers(classes('own();'), 'Other.own')).toEqual([]);
  });

  it.each([
    ['cs', 'class Lamp { void Light() {} void Run() { Light(); } }\n', 'Lamp.Light'],
    ['cpp', 'class Lamp { void light() {} void run() { light(); } };\n', 'Lamp.light'],
    ['rb', 'class Lamp\n  def light; end\n  def run; light; end\nend\n', 'Lamp.light'],
    ['java', 'class Lamp { void light() {} void run() { light(); } }\n', 'Lamp.light'],
  ])('means one of its own class in .%s', (ending, text, name) => {
    expect(callers({ [`a.${ending}`]: text }, name)).toHaveLength(1);
  });

  it.each([
    ['py', 'class Lamp:\n    def light(self): pass\n    def run(self): light()\n', 'Lamp.light'],
    ['ts', 'class Lamp { light() {} run() { light(); } }\n', 'Lamp.light'],
  ])('means none of its own class in .%s', (ending, text, name) => {
    expect(callers({ [`a.${ending}`]: text }, name)).toEqual([]);
  });

  it('finds the class above up to four steps away, and ends where classes extend each other', () => {
    const chain = (steps: number) =>
      `class C0 { void help() {} }\n${Array.from({ length: steps }, (_, at) => `class C${at + 1} extends C${at} {}\n`).join('')}` +
      `class Use extends C${steps} { void run() { help(); } }\n`;
    const line = (steps: number) => callers({ 'A.java': chain(steps) }, 'C0.help');
    expect([line(3), line(4)]).toEqual([['A.java:5'], []]);
    const ring = 'class A extends B {}\nclass B extends A { void run() { gone(); } }\nclass C { void gone() {} }\n';
    expect(callers({ 'A.java': ring }, 'C.gone')).toEqual([]);
  });
});

describe('files of one package', () => {
  it('share their names in Go by their folder', () => {
    const files = {
      'a/one.go': 'package a\n\nfunc Light() {}\n',
      'a/two.go': 'package a\n\nfunc go1() { Light() }\n',
      'a/b/three.go': 'package a\n\nfunc go1() { Light() }\n',
      'four.go': 'package a\n\nfunc go1() { Light() }\n',
    };
    expect(callers(files, 'Light')).toEqual(['a/two.go:3']);
  });

  it('share their names in Java by their folder or package', () => {
    const lamp = 'class Lamp {}\n';
    const use = 'class Use { void run() { new Lamp(); } }\n';
    const files = {
      'src/a/Lamp.java': `package a;\n${lamp}`,
      'test/a/Use.java': `package a;\n${use}`,
      'src/b/Use.java': `package b;\n${use}`,
      'none/Lamp.java': lamp,
      'none/Use.java': use,
      'other/Use.java': use,
    };
    expect(callers(files, 'src.a.Lamp')).toEqual(['test/a/Use.java:2']);
    expect(callers(files, 'none.Lamp')).toEqual(['none/Use.java:1']);
  });

  it('share their names in C# and PHP by their namespace', () => {
    const files = {
      'x/a.cs': 'namespace Town;\nclass Lamp {}\n',
      'y/b.cs': 'namespace Town;\nclass Use { void F() { new Lamp(); } }\n',
      'y/c.cs': 'namespace Land;\nclass Lamp {}\n',
      'x/a.php': '<?php\nnamespace Town;\nclass Road {}\n',
      'y/b.php': '<?php\nnamespace Town;\nnew Road();\n',
      'y/c.php': '<?php\nnamespace Land;\nclass Road {}\n',
    };
    expect(callers(files, 'x.a.Lamp')).toEqual(['y/b.cs:2']);
    expect(callers(files, 'y.c.Lamp')).toEqual([]);
    expect(callers(files, 'x.a.Road')).toEqual(['y/b.php:3']);
    expect(callers(files, 'y.c.Road')).toEqual([]);
  });
});

describe('what a file includes as a whole', () => {
  it('is seen through headers that include others, with the definition of what a header declares', () => {
    const files = {
      'a.h': 'int light(int a);\nstatic int hidden(void);\n',
      'b.h': '#include "a.h"\n',
      'a.c': '#include "a.h"\nint light(int a) { return a; }\n',
      'other.c': 'int light(int a) { return 2; }\n',
      'use.c': '#include "b.h"\nint use(void) { return light(1) + hidden(); }\n',
    };
    expect(callers(files, 'a.light')).toEqual(['use.c:2']);
    expect(callers(files, 'hidden')).toEqual([]);
  });

  it('is seen one step away in Python, what it makes public alone', () => {
    const files = {
      'a.py': 'def light():\n    pass\ndef _dim():\n    pass\n',
      'b.py': 'from a import *\nlight()\n_dim()\n',
      'c.py': 'from b import *\nlight()\n',
      'd.py': 'from c import *\nlight()\n',
    };
    expect(callers(files, 'light')).toEqual(['b.py:2', 'c.py:2']);
    expect(callers(files, '_dim')).toEqual([]);
  });

  it('is the definition beside it for what the file itself declares', () => {
    const files = {
      'a.c': 'int light(int a);\nint use(void) { return light(1); }\n',
      'b.c': 'int light(int a) { return a; }\n',
      'c.c': 'static int light(int a) { return 3; }\n',
    };
    expect(callers(files, 'b.light')).toEqual(['a.c:2']);
    expect(callers(files, 'c.light')).toEqual([]);
  });

  it('takes no constant for the definition of a function', () => {
    const files = {
      'a.h': 'int light(int a);\n',
      'b.c': 'const int light = 1;\n',
      'c.c': '#include "a.h"\nint f() { return light(1); }\n',
    };
    expect(callers(files, 'b.light')).toEqual([]);
  });

  it('holds the members of a namespace', () => {
    const files = {
      'a.h': 'namespace town { int light(int a) { return a; } class Lamp { int dim() { return 1; } }; }\n',
      'b.cpp': '#include "a.h"\nint f() { return light(1) + dim(); }\n',
      'c.cpp': 'namespace own { int go() { return 1; } }\nint g() { return go(); }\n',
    };
    expect(callers(files, 'light')).toEqual(['b.cpp:2']);
    expect(callers(files, 'Lamp.dim')).toEqual([]);
    expect(callers(files, 'own.go')).toEqual(['c.cpp:2']);
  });
});

describe('a name after a type', () => {
  it('means the members of the class, else of the nearest one above it', () => {
    const files = {
      'a.ts': 'export class Base { light() {} dim() {} }\nexport class Lamp extends Base { light() {} }\n',
      'b.ts': "import { Lamp } from './a.js';\nconst lamp = new Lamp();\nlamp.light();\nlamp.dim();\n",
    };
    expect(callers(files, 'Lamp.light')).toEqual(['b.ts:3']);
    expect(callers(files, 'Base.light')).toEqual([]);
    expect(callers(files, 'Base.dim')).toEqual(['b.ts:4']);
  });

  it('may mean the members of classes below, which only the name says', () => {
    const files = {
      'a.ts':
        'export class Base { light() {} }\nexport class Mid extends Base {}\nexport class Lamp extends Mid { light() {} }\n' +
        'export class Other { light() {} }\n',
      'b.ts': "import { Base } from './a.js';\nfunction go(base: Base) { base.light(); }\n",
    };
    expect(callers(files, 'Base.light')).toEqual(['b.ts:2', 'by name']);
    expect(callers(files, 'Lamp.light')).toEqual(['b.ts:2', 'by name']);
    expect(callers(files, 'Other.light')).toEqual([]);
  });

  it('may mean those that implement an interface without the member', () => {
    const files = {
      'i.ts': 'export interface Light {}\n',
      'a.ts':
        'import { Light } from "./i.js";\nexport class Lamp implements Light { shine() {} }\nexport class Sun { shine() {} }\n',
      'b.ts': "import type { Light } from './i.js';\nfunction go(light: Light) { light.shine(); }\n",
    };
    expect(callers(files, 'Lamp.shine')).toEqual(['b.ts:2', 'by name']);
    expect(callers(files, 'Sun.shine')).toEqual([]);
  });

  it('means the class of its own file where several have the name, else that of one that it imports, else any', () => {
    const lamp = 'export class Lamp { light() {} }\n';
    const files = {
      'a.ts': `${lamp}new Lamp().light();\n`,
      'b.ts': lamp,
      'c.ts': "import { Lamp } from './b.js';\nnew Lamp().light();\n",
      'd.ts': 'export {};\nnew Lamp().light();\n',
    };
    expect(callers(files, 'a.Lamp.light')).toEqual(['a.ts:2', 'd.ts:2']);
    expect(callers(files, 'b.Lamp.light')).toEqual(['c.ts:2', 'd.ts:2']);
  });

  it('is known by name alone where more than two files have the class', () => {
    const lamp = 'export class Lamp { light() {} }\n';
    const use = 'export {};\nnew Lamp().light();\n';
    expect(callers({ 'a.ts': lamp, 'b.ts': lamp, 'use.ts': use }, 'Lamp.light')).toEqual(['use.ts:2']);
    expect(callers({ 'a.ts': lamp, 'b.ts': lamp, 'c.ts': lamp, 'use.ts': use }, 'Lamp.light')).toEqual([
      'use.ts:2',
      'by name',
    ]);
  });

  it('means the declaration in a header and the definition in another file of C++', () => {
    const files = {
      'a.h': 'class Lamp { public: int light(int a); };\n',
      'a.cpp': '#include "a.h"\nint Lamp::light(int a) { return a; }\n',
      'b.cpp': '#include "a.h"\nint go(Lamp *lamp) { return lamp->light(1); }\n',
    };
    expect(callers(files, 'Lamp.light')).toEqual(['b.cpp:2']);
  });

  it('means nothing on a type of another project', () => {
    const files = { 'a.ts': 'export class Lamp { shine() {} }\nfunction go(sun: Sun) { sun.shine(); }\n' };
    expect(queriesOf(files).callers('Lamp.shine')).toMatchObject({ total: 1, byName: true });
    const two = { ...files, 'b.ts': "import { Lamp } from './a.js';\nnew Lamp().shine();\n" };
    expect(callers(two, 'Lamp.shine')).toEqual(['b.ts:2']);
  });

  it('is the name of a type parameter when it is one capital', () => {
    const files = {
      'a.ts': 'export class Lamp { shine() {} }\nexport function go<T extends Lamp>(one: T) { one.shine(); }\n',
      'b.ts': 'export class T { shine() {} }\n',
    };
    expect(callers(files, 'Lamp.shine')).toEqual(['a.ts:2', 'by name']);
  });
});

describe('a name after a module', () => {
  it('means what the module exports, or holds', () => {
    const files = {
      'a.ts': "export { light } from './b.js';\nexport function dim() {}\n",
      'b.ts': 'export function light() {}\n',
      'c.ts': "import * as lamps from './a.js';\nlamps.light();\nlamps.dim();\nlamps.gone();\n",
      'd.js': 'module.exports = { open() {} };\nclass Door { shut() {} }\nexports.Door = Door;\n',
      'e.js': "const door = require('./d');\ndoor.open();\ndoor.shut();\n",
    };
    expect(callers(files, 'b.light')).toEqual(['c.ts:2']);
    expect(callers(files, 'a.dim')).toEqual(['c.ts:3']);
    expect(callers(files, 'd.open')).toEqual(['e.js:2']);
    expect(callers(files, 'Door.shut')).toEqual(['e.js:3']);
  });

  it('means nothing here when the module is of another project', () => {
    const files = {
      'a.ts': 'export class Lamp { shine() {} }\n',
      'b.ts': "import * as lamps from 'lamps';\nlamps.shine();\n",
      'c.ts': "import * as gone from './gone.js';\ngone.shine();\n",
    };
    expect(callers(files, 'Lamp.shine')).toEqual(['c.ts:2']);
  });

  it('is the file of its name in Rust and Python, though nothing imports it', () => {
    const files = {
      'src/lamps.rs': 'pub fn light() {}\n',
      'src/other.rs': 'pub fn light() {}\nfn go() { lamps::light(); }\n',
      'py/lamps.py': 'def dim():\n    pass\n',
      'py/others.py': 'def dim():\n    pass\nlamps.dim()\n',
    };
    expect(callers(files, 'lamps.light')).toEqual(['src/other.rs:2']);
    expect(callers(files, 'other.light')).toEqual([]);
    expect(callers(files, 'lamps.dim')).toEqual(['py/others.py:3']);
    expect(callers(files, 'others.dim')).toEqual([]);
  });

  it('is no file of its name in another language', () => {
    const files = { 'lamps.ts': 'export function light() {}\n', 'b.ts': 'export {};\nlamps.light();\n' };
    expect(callers(files, 'light')).toEqual(['b.ts:2', 'by name']);
  });

  it('is the last name of a dotted import', () => {
    const files = { 'town/lamps.py': 'def light():\n    pass\n', 'b.py': 'import town.lamps\ntown.lamps.light()\n' };
    expect(callers(files, 'light')).toEqual(['b.py:2']);
  });

  it('is an imported class under another name', () => {
    const files = {
      'a.ts': 'export class Lamp { static make() {} }\n',
      'b.ts': "import { Lamp as Sun } from './a.js';\nSun.make();\n",
    };
    expect(callers(files, 'Lamp.make')).toEqual(['b.ts:2']);
  });
});

describe('a name after something of an unknown type', () => {
  const lamp = 'export class Lamp { shine() {} size = 1; }\nexport function makeLamp() { return new Lamp(); }\n';
  const use = "import { makeLamp } from './a.js';\nconst lamp = makeLamp();\nlamp.shine();\n";

  it('means the one member of that name, and any of several by name', () => {
    expect(callers({ 'a.ts': lamp, 'b.ts': use }, 'Lamp.shine')).toEqual(['b.ts:3']);
    const two = { 'a.ts': lamp, 'b.ts': use, 'c.ts': 'export class Sun { shine() {} }\n' };
    expect(callers(two, 'Lamp.shine')).toEqual(['b.ts:3', 'by name']);
    expect(callers(two, 'Sun.shine')).toEqual([]);
  });

  it('means nothing where methods of built-in types have the name', () => {
    const files = {
      'a.ts': 'export class Lamp { push() {} shove() {} }\nfunction go(x) { x.push(); x.shove(); }\n',
      'b.ts': "import { Lamp } from './a.js';\nnew Lamp().push();\n",
    };
    expect(callers(files, 'Lamp.push')).toEqual(['b.ts:2']);
    expect(callers(files, 'Lamp.shove')).toEqual(['a.ts:2']);
  });

  it('means no function at the top of a file', () => {
    const files = {
      'a.ts': 'export function shine() {}\n',
      'b.ts': "import { shine } from './a.js';\nfunction go(x) { x.shine(); }\nshine();\n",
    };
    expect(callers(files, 'shine')).toEqual(['b.ts:3']);
  });

  it('means members that are three imports away, and no further where there are several', () => {
    const chain = (steps: number) => ({
      'lamp.ts': 'export class Lamp { shine() {} }\n',
      'sun.ts': 'export class Sun { shine() {} }\n',
      's0.ts': "import './lamp.js';\n",
      ...Object.fromEntries(Array.from({ length: steps }, (_, at) => [`s${at + 1}.ts`, `import './s${at}.js';\n`])),
      'use.ts': `import './s${steps}.js';\nfunction go(x) { x.shine(); }\n`,
    });
    expect(callers(chain(1), 'Lamp.shine')).toEqual(['use.ts:2', 'by name']);
    // Nobody is known to call it: those of the name are told.
    const counted = (steps: number) => build(chain(steps)).queries.callers('Lamp.shine').perDefinition?.size;
    expect([counted(1), counted(2), callers(chain(2), 'Lamp.shine')]).toEqual([1, 0, ['use.ts:2', 'by name']]);
  });

  it('means members of its own package', () => {
    const files = {
      'a/lamp.go': 'package a\n\ntype Lamp struct{}\n\nfunc (l *Lamp) Shine() {}\n',
      'a/use.go': 'package a\n\nfunc go1() { find().Shine() }\n',
      'b/sun.go': 'package b\n\ntype Sun struct{}\n\nfunc (s *Sun) Shine() {}\n',
    };
    expect(callers(files, 'Lamp.Shine')).toEqual(['a/use.go:3', 'by name']);
    expect(queriesOf(files).callers('Sun.Shine').perDefinition?.size).toBe(0);
  });

  it('may mean any member in a language that needs no imports', () => {
    const files = {
      'a.rb': 'class Lamp\n  def shine; end\nend\n',
      'b.rb': 'class Sun\n  def shine; end\nend\n',
      'c.rb': 'find.shine\n',
      'a.py': 'class Wall:\n    def climb(self): pass\n',
      'b.py': 'class Hill:\n    def climb(self): pass\n',
      'c.py': 'find().climb()\n',
    };
    expect(queriesOf(files).callers('Lamp.shine').perDefinition?.size).toBe(1);
    expect(queriesOf(files).callers('Hill.climb').perDefinition?.size).toBe(1);
  });
});

describe('what an index of a compiler says', () => {
  const files = {
    'a.ts': 'export class Lamp {\n  shine() {}\n}\nexport class Sun {\n  shine() { function shine() {} }\n}\n',
    'b.ts': 'export {};\nfunction go(x) { x.shine(); }\nfunction go2(x) { x.shine(); }\n',
  };
  const places = (said: { line: number; target?: { path: string; line: number } }[], name: string) => {
    const { queries, graph } = build(files);
    graph.putPrecise(
      'b.ts',
      said.map((one) => ({ name: 'shine', ...one })),
    );
    const { places: found, perDefinition } = queries.callers(name);
    return [...found.map(({ startLine }) => startLine), perDefinition?.size];
  };

  it('counts before what the names say, for its own line alone', () => {
    expect(places([{ line: 2, target: { path: 'a.ts', line: 2 } }], 'Lamp.shine')).toEqual([2, 1]);
    expect(places([{ line: 2, target: { path: 'a.ts', line: 5 } }], 'Lamp.shine')).toEqual([3, 0]);
    expect(places([{ line: 9, target: { path: 'a.ts', line: 2 } }], 'Lamp.shine')).toEqual([2, 3, 0]);
  });

  it('means the innermost definition of the name at its place', () => {
    expect(places([{ line: 2, target: { path: 'a.ts', line: 5 } }], 'Sun.shine.shine')).toEqual([3, 0]);
    expect(places([{ line: 2, target: { path: 'a.ts', line: 5 } }], 'Sun.shine')).toEqual([2, 1]);
  });

  it('counts not at all where no such name is defined', () => {
    expect(places([{ line: 2, target: { path: 'a.ts', line: 1 } }], 'Lamp.shine')).toEqual([2, 3, 0]);
    expect(places([{ line: 2, target: { path: 'a.ts', line: 3 } }], 'Lamp.shine')).toEqual([2, 3, 0]);
  });

  it('may say that the name is of another project', () => {
    expect(places([{ line: 2 }], 'Lamp.shine')).toEqual([3, 0]);
    expect(places([{ line: 2 }, { line: 2, target: { path: 'a.ts', line: 1 } }], 'Lamp.shine')).toEqual([2, 3, 0]);
    expect(places([{ line: 2 }, { line: 2, target: { path: 'a.ts', line: 2 } }], 'Lamp.shine')).toEqual([2, 1]);
  });
});

it('is no use of a type where only the methods of a block of Rust belong to it', () => {
  const files = { 'src/lib.rs': 'pub struct Lamp {}\nimpl Lamp {\n  fn new() -> Lamp { Lamp {} }\n}\n' };
  expect(uses(files, 'Lamp')).toEqual(['src/lib.rs:2', 'src/lib.rs:3']);
});

it('is a use of a type of Rust in a file that only adds methods to it', () => {
  const files = {
    'src/a.rs': 'pub struct Lamp {}\n',
    'src/b.rs': 'use crate::a::Lamp;\nimpl Lamp {\n  fn new() -> Lamp { make() }\n}\n',
    'src/lib.rs': 'mod a;\nmod b;\n',
  };
  expect(uses(files, 'Lamp')).toEqual(['src/b.rs:2', 'src/b.rs:3']);
});

it('means the definition of what the class of its own header declares', () => {
  const files = {
    'a.h': 'class Lamp {\n int light(int a);\n int two() { return this->light(1); }\n};\n',
    'b.cpp': '#include "a.h"\nint Lamp::light(int a) { return a; }\n',
  };
  expect(callers(files, 'Lamp.light')).toEqual(['a.h:3']);
});

it('ends where files pass each other on', () => {
  const files = {
    'a.ts': "export * from './b.js';\n",
    'b.ts': "export * from './a.js';\n",
    'c.ts': "import { light } from './a.js';\nlight();\n",
    'd.ts': 'export function light() {}\n',
  };
  expect(callers(files, 'light')).toEqual([]);
});

it('is passed on through up to six files', () => {
  const chain = (steps: number) => ({
    'p0.ts': 'export function light() {}\n',
    ...Object.fromEntries(
      Array.from({ length: steps }, (_, at) => [`p${at + 1}.ts`, `export { light } from './p${at}.js';\n`]),
    ),
    'use.ts': `import { light } from './p${steps}.js';\nlight();\n`,
  });
  expect([callers(chain(6), 'light'), callers(chain(7), 'light')]).toEqual([['use.ts:2'], []]);
});
