import { describe, expect, it } from 'vitest';
import { openCodeGraphs } from '../../../testing/parts/code-structure.js';
import { SymbolUses } from './symbol-uses.js';

const build = openCodeGraphs();
const open = (files: Record<string, string>) => new SymbolUses(build(files).all);

describe('the symbols of a name', () => {
  const find = (files: Record<string, string>, name: string) =>
    open(files)
      .find(name)
      .map(({ path, line, kind }) => `${path}:${line} ${kind}`);

  it('are those of its case, else of any', () => {
    const files = { 'a.ts': 'function light() {}\n', 'b.ts': 'class Light {}\n' };
    expect(find(files, 'light')).toEqual(['a.ts:1 function']);
    expect(find(files, 'LIGHT')).toEqual(['b.ts:1 class', 'a.ts:1 function']);
  });

  it('are definitions, else declarations', () => {
    const header = { 'a.h': 'int light(int a);\n' };
    expect(find(header, 'light')).toEqual(['a.h:1 function']);
    expect(find({ ...header, 'a.c': 'int light(int a) { return a; }\n' }, 'light')).toEqual(['a.c:1 function']);
  });

  it('are in the containers of a qualified name', () => {
    const files = {
      'a.ts': 'class Lamp { light() {} }\nclass Sun { light() {} }\n',
      'lamp.ts': 'function light() {}\n',
    };
    expect(find(files, 'Sun.light')).toEqual(['a.ts:2 method']);
    expect(find(files, 'Lamp.light')).toEqual(['lamp.ts:1 function', 'a.ts:1 method']);
    expect(find(files, 'Moon.light')).toEqual([]);
  });

  it('stand in sources before tests, by kind, path and line', () => {
    const files = {
      'z.ts': 'const light = 1;\nfunction f() { function light() {} }\n',
      'b.ts': 'function g() { function light() {} }\nfunction light() {}\n',
      'a.test.ts': 'class light {}\n',
      'a.ts': 'function light() {}\n',
    };
    expect(find(files, 'light')).toEqual([
      'a.ts:1 function',
      'b.ts:1 function',
      'b.ts:2 function',
      'z.ts:2 function',
      'z.ts:1 constant',
      'a.test.ts:1 class',
    ]);
  });

  it('may end with a mark of Ruby that the question lost', () => {
    const files = { 'a.rb': 'def lit?; end\ndef dim!; end\ndef out; end\ndef out?; end\n' };
    expect([find(files, 'lit'), find(files, 'dim'), find(files, 'out'), find(files, 'none')]).toEqual([
      ['a.rb:1 function'],
      ['a.rb:2 function'],
      ['a.rb:3 function'],
      [],
    ]);
  });
});

describe('what a definition calls', () => {
  const callees = (files: Record<string, string>, name: string) => {
    const { places, byName } = open(files).callees(name);
    return [
      ...places.map(({ text, path, startLine }) => `${text} ${path}:${startLine}`),
      ...(byName ? ['by name'] : []),
    ];
  };

  it('is each name of the project once, at its first line, with its class', () => {
    const files = {
      'a.ts':
        "import { Lamp, dim } from './b.js';\nfunction go() {\n  dim();\n  new Lamp().light();\n  dim();\n  other();\n  " +
        'const x = dim;\n}\nfunction after() { dim(); }\n',
      'b.ts': 'export class Lamp { light() {} }\nexport function dim() {}\n',
    };
    expect(callees(files, 'go')).toEqual(['dim a.ts:3', 'Lamp.light a.ts:4', 'Lamp a.ts:4']);
  });

  it('is within the definition and what it holds, not in another on the same lines', () => {
    const files = {
      'a.ts':
        'function one() {}\nfunction two() {}\nfunction three() {}\nfunction go() { one(); function inner() { ' +
        'two(); } } ' +
        'function goes() { three(); }\none();\n',
    };
    expect(callees(files, 'go')).toEqual(['one a.ts:4', 'two a.ts:4']);
    expect(callees(files, 'goes')).toEqual(['three a.ts:4']);
    expect(callees(files, 'go.inner')).toEqual(['two a.ts:4']);
  });

  it('is nothing of a constant, a variable, a field or a module', () => {
    const files = {
      'a.ts':
        'function one() {}\nconst fixed = one();\nlet loose = one();\nclass A { field = one(); }\nnamespace ' +
        'space { one(); }\n',
    };
    for (const name of ['fixed', 'loose', 'A.field', 'space']) expect(callees(files, name)).toEqual([]);
    expect(callees(files, 'A')).toEqual(['one a.ts:4']);
  });

  it('is told by name where that is all that is known', () => {
    const files = {
      'a.ts': 'export class Lamp { shine() {} }\nexport class Sun { shine() {} }\nfunction go(x) { x.shine(); }\n',
    };
    expect(callees(files, 'go')).toEqual(['Lamp.shine a.ts:3', 'by name']);
  });
});

describe('the uses of a name', () => {
  const uses = (files: Record<string, string>, name: string, ...kinds: ('call' | 'read' | 'extend')[]) => {
    const found = open(files).usesOf(name, kinds);
    return {
      uses: found.uses.map(({ path, line, kind }) => `${path}:${line} ${kind}`),
      byName: found.byName,
      perDefinition: Object.fromEntries(found.perDefinition),
    };
  };

  it('are all counted, also where there are thousands', () => {
    const count = 2_100;
    const found = uses({ 'a.ts': `function go() {}\n${'go()\n'.repeat(count)}` }, 'go', 'call');
    expect([found.uses.length, found.perDefinition]).toEqual([count, { 'a.ts:1': count }]);
  });

  it('are those of the kinds that are asked for, one for each line', () => {
    const files = { 'a.ts': 'function go() {}\ngo(); go();\nconst x = go;\n' };
    expect(uses(files, 'go', 'call')).toEqual({ uses: ['a.ts:2 call'], byName: false, perDefinition: { 'a.ts:1': 1 } });
    expect(uses(files, 'go', 'call', 'read').uses).toEqual(['a.ts:2 call', 'a.ts:3 read']);
    expect(uses(files, 'go', 'extend').uses).toEqual([]);
  });

  it('are counted for each definition that they mean', () => {
    const files = {
      'a.ts': 'export function go() {}\n',
      'b.ts': 'export function go() {}\ngo();\ngo();\n',
      'c.ts': "import { go } from './a.js';\ngo();\n",
    };
    expect(uses(files, 'go', 'call').perDefinition).toEqual({ 'a.ts:1': 1, 'b.ts:1': 2 });
  });

  it('are none on the line of the definition itself, unless they call it', () => {
    const files = { 'a.js': 'exports.open = open;\nfunction open() { open(); }\n' };
    expect(uses(files, 'open', 'call', 'read').uses).toEqual(['a.js:1 read', 'a.js:2 call']);
    expect(uses({ 'a.js': 'exports.open = function open() {};\n' }, 'open', 'read').uses).toEqual([]);
  });

  it('where none is known, are those on something of an unknown type, by name', () => {
    const files = {
      'a.ts': 'export class Lamp { push() {} }\n',
      'b.ts': 'export {};\nfind().push();\npush();\n',
      'c.ts': "import * as other from 'other';\nother.push();\n",
    };
    expect(uses(files, 'Lamp.push', 'call')).toEqual({ uses: ['b.ts:2 call'], byName: true, perDefinition: {} });
    const known = { ...files, 'd.ts': "import { Lamp } from './a.js';\nnew Lamp().push();\n" };
    expect(uses(known, 'Lamp.push', 'call')).toEqual({
      ...{ uses: ['d.ts:2 call'], byName: false, perDefinition: { 'a.ts:1': 1 } },
    });
  });

  it('of a default export stand under the name that another file gave it', () => {
    const files = {
      'a.ts': 'export default function open() {}\n',
      'b.ts': "import go from './a.js';\ngo();\nx.go();\n",
      'c.ts': "import open from './a.js';\nopen();\n",
      'd.ts': "import { other } from './a.js';\nother();\n",
      'e.ts': 'function go() {}\ngo();\n',
    };
    expect(uses(files, 'open', 'call').uses).toEqual(['b.ts:2 call', 'c.ts:2 call']);
  });

  it('stand in sources before tests, by path and line', () => {
    const call = "import { go } from './a.js';\ngo();\n";
    const files = { 'a.ts': 'export function go() {}\n', 'z.ts': `${call}go();\n`, 'b.ts': call, 'a.test.ts': call };
    expect(uses(files, 'go', 'call').uses).toEqual(['b.ts:2 call', 'z.ts:2 call', 'z.ts:3 call', 'a.test.ts:2 call']);
  });

  it('of what the project does not define are those of its name, and of the name before it', () => {
    const files = {
      'a.ts': 'JSON.parse(x);\nother.parse(x);\nparse(x);\nJSON.Parse(x);\nconst y = JSON.parse;\n',
      'b.rs': 'fn f() { serde::json::parse(x); }\n',
    };
    expect(uses(files, 'JSON.parse', 'call')).toEqual({ uses: ['a.ts:1 call'], byName: true, perDefinition: {} });
    expect(uses(files, 'parse', 'call').uses).toEqual(['a.ts:1 call', 'a.ts:2 call', 'a.ts:3 call', 'b.rs:1 call']);
    expect(uses(files, 'json.parse', 'call').uses).toEqual(['b.rs:1 call']);
    expect(uses(files, 'none', 'call')).toEqual({ uses: [], byName: false, perDefinition: {} });
  });
});
