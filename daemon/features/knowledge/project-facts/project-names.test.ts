import { describe, expect, it } from 'vitest';
import { findJsonBlock, findLine, linesIn } from './project-fact.js';
import { projectNames } from './project-names.js';

const toTree = (files: Record<string, string>) => ({
  paths: Object.keys(files).sort(),
  linesOf: (path: string) => files[path]?.split('\n'),
});
const names = (files: Record<string, string>, folder = 'x') => projectNames(toTree(files), folder);

describe('a project is called', () => {
  it.each<[string, string, string]>([
    ['package.json', 'x "name": "no"\n  "name"  :  "@acme/lamp_x.y-z"', 'lamp_x.y-z'],
    ['package.json', '"name":"lamp"', 'lamp'],
    ['composer.json', 'x "name": "no"\n  "name"  :  "acme/lamp_x.y-z"', 'lamp_x.y-z'],
    ['composer.json', '"name":"lamp"', 'lamp'],
    ['Cargo.toml', ' name = "no"\nname  =  "lamp-on"', 'lamp-on'],
    ['Cargo.toml', 'name="lamp"', 'lamp'],
    ['pyproject.toml', ' name = "no"\nname  =  "lamp.on-x"', 'lamp.on-x'],
    ['pyproject.toml', 'name="lamp"', 'lamp'],
    ['setup.cfg', ' name = no\nname  =  lamp.on-x', 'lamp.on-x'],
    ['setup.cfg', 'name=lamp', 'lamp'],
    ['setup.py', "  name  =  'lamp.on-x'", 'lamp.on-x'],
    ['setup.py', 'setup(name="lamp")', 'lamp'],
    ['go.mod', '// module no\nmodule  "example.org/lamp"', 'lamp'],
    ['go.mod', 'module example.org/lamp/v2', 'lamp'],
    ['go.mod', 'module example.org/lamp/v21', 'lamp'],
    ['CMakeLists.txt', '# project(no)\n  PROJECT  (  "lamp.on-x"', 'lamp.on-x'],
    ['CMakeLists.txt', 'project(lamp C)', 'lamp'],
    ['meson.build', "# project('no')\n  project  (  'lamp.on-x'", 'lamp.on-x'],
    ['meson.build', "project('lamp')", 'lamp'],
    ['configure.ac', 'x AC_INIT([no],\nAC_INIT([lamp on.x-y], [1])', 'lamp on.x-y'],
    ['configure.ac', 'AC_INIT(lamp, 1)', 'lamp'],
    ['pom.xml', 'x <name>no</\n    <artifactId>lamp on.x-y</', 'lamp on.x-y'],
    ['pom.xml', '<name>Lamp</name>', 'lamp'],
  ])('as its %s says: %j', (path, text, name) => expect(names({ [path]: text })).toEqual([name]));

  it('not as a part further inside a manifest is called', () => {
    expect(names({ 'pom.xml': '     <artifactId>lamp</' })).toEqual([]);
  });

  it('by its folder, its gems, its manifests and its heading, in this order, each name once', () => {
    const files = {
      'package.json': '"name": "wick"',
      'lamp-on.gemspec': '',
      'a/b.gemspec': '',
      'b.gemspec.x': '',
      'README.md': '# Lamp on',
    };
    expect(names(files, 'Beam')).toEqual(['beam', 'lamp-on', 'wick', 'lamp on', 'on']);
    expect(names({ 'README.md': '# Beam' }, 'beam')).toEqual(['beam']);
  });

  it('also without the end that says of what kind it is', () => {
    for (const end of ['.js', '-py', '.rs', '-go', '-build', '-core', '-parent', '-cli', '-lib', '.JS'])
      expect(names({}, `lamp${end}`)).toEqual([`lamp${end.toLowerCase()}`, 'lamp']);
    expect(names({}, 'lamp-js-x')).toEqual(['lamp-js-x']);
    expect(names({}, 'lampjs')).toEqual(['lampjs']);
    expect(names({}, 'Été')).toEqual(['ete']);
    expect(names({}, 'c')).toEqual([]);
    expect(names({}, 'go')).toEqual(['go']);
  });
});

describe('the heading of the README', () => {
  it.each<[string, string, string[]]>([
    ['README.md', 'x\n## No\n #  no\n#  Harbour  Lamp', ['harbour  lamp', 'lamp']],
    ['readme', '# Lamp', ['lamp']],
    ['readme.rst', '\nLamp\n====', ['lamp']],
    ['README.txt', '  Lamp  \n===  ', ['lamp']],
    ['README.adoc', '# Lamp', ['lamp']],
    ['README.html', '# Lamp', []],
    ['docs/README.md', '# Lamp', []],
    ['MYREADME', '# Lamp', []],
    ['README.md', 'Lamp\n==', []],
    ['README.md', 'Lamp\n=== x', []],
    ['README.md', '====\nx', []],
    ['README.md', '# The lamp of harbours', []],
    ['README.md', '# The lamp here', ['the lamp here', 'here']],
    ['README.md', '# [Lamp](https://a.b) <b>on</b>', ['lamp on', 'on']],
    ['README.md', '# ![logo](a.png) Lamp', ['logo lamp', 'lamp']],
    ['README.md', '# ![](a.png)Lamp', ['lamp']],
    ['README.md', '# Lamp™: c++_x-y.z', ['lamp   c++_x-y.z', 'c++_x-y.z']],
    ['README.md', `${'\n'.repeat(38)}Lamp\n===`, ['lamp']],
    ['README.md', `${'\n'.repeat(39)}Lamp\n===`, []],
    ['README.md', `${'a'.repeat(80)}\n===`, ['a'.repeat(80)]],
    ['README.md', `${'a'.repeat(81)}\n===`, []],
    ['README.md', `# ${'a'.repeat(81)}`, []],
  ])('%s %j', (path, text, found) => expect(names({ [path]: text })).toEqual(found));
});

describe('the lines of a file', () => {
  const tree = toTree({ 'a.txt': 'one 1\ntwo\none 2' });

  it('are none of a file that is not in the project, or cannot be read', () => {
    expect(linesIn(tree, 'a.txt')).toHaveLength(3);
    expect(linesIn({ ...tree, paths: [] }, 'a.txt')).toEqual([]);
    expect(linesIn({ ...tree, all: new Set() }, 'a.txt')).toEqual([]);
    expect(linesIn({ ...tree, paths: [], all: new Set(['a.txt']) }, 'a.txt')).toHaveLength(3);
    expect(linesIn({ ...tree, paths: ['b.txt'] }, 'b.txt')).toEqual([]);
  });

  it('the first that matches, with what it captures', () => {
    expect(findLine(tree, 'a.txt', /one (\d)/)).toEqual({ line: 1, value: '1' });
    expect(findLine(tree, 'a.txt', /two/)).toEqual({ line: 2, value: '' });
    expect(findLine(tree, 'a.txt', /three/)).toBeUndefined();
  });

  it('of at most a thousand characters', () => {
    const long = (length: number) => findLine(toTree({ a: `x${' '.repeat(length - 1)}\nx` }), 'a', /x/)?.line;
    expect([long(1_000), long(1_001)]).toEqual([1, 2]);
  });
});

it.each<[string, [number, number] | undefined]>([
  ['{\n  "scripts": {\n    "a": {\n    }\n  }\n}', [2, 5]],
  ['{\n  "scripts" : {  \n  },', [2, 3]],
  ['{\n"scripts": {\n    }\n}', [2, 4]],
  ['{\n}\n  "scripts": {\n  }', [3, 4]],
  ['{\n  "scripts": {\n}', [2, 3]],
  ['{\n  "scripts": 1,\n  }', undefined],
  ['{\n  "scripts": { "a": 1 },\n}', undefined],
  ['{\n  "a": "scripts" {\n  }', undefined],
  ['{\n  "scripts": {\n', undefined],
  ['{\n  "scripts": {\n   x}\n', undefined],
])('the block of a JSON manifest ends with its bracket: %j', (text, block) => {
  expect(findJsonBlock(text.split('\n'), 'scripts')).toEqual(block);
});
