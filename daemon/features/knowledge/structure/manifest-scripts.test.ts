import { describe, expect, it } from 'vitest';
import { isManifest, readManifest } from './manifest-scripts.js';

const scripts = (path: string, text: string) =>
  readManifest(path, text)?.scripts.map(({ tool, name, command, line }) => `${tool} ${name}: ${command} ${line}`);
const entries = (path: string, text: string) =>
  readManifest(path, text)?.entries.map(({ name, kind, line }) => `${kind} ${name} ${line}`);
const json = (value: unknown) => JSON.stringify(value, null, 1);

it.each([
  ['package.json', true],
  ['a/package.json', true],
  ['composer.json', true],
  ['Makefile', true],
  ['makefile', true],
  ['GNUmakefile', true],
  ['rules.mk', true],
  ['justfile', true],
  ['.Justfile', true],
  ['tox.ini', true],
  ['.cargo/config', true],
  ['a/.cargo/config.toml', true],
  ['pyproject.toml', true],
  ['Cargo.toml', true],
  ['setup.cfg', true],
  ['setup.py', true],
  ['xpackage.json', false],
  ['Makefile.am', false],
  ['xMakefile', false],
  ['rulesmk', false],
  ['rules.mkd', false],
  ['xjustfile', false],
  ['justfiles', false],
  ['x.cargo/config', false],
  ['.cargo/config.toml.bak', false],
  ['cargo/config.toml', false],
])('%s is a manifest: %s', (path, is) => {
  expect([isManifest(path), readManifest(path, '') !== undefined]).toEqual([is, is]);
});

describe('package.json', () => {
  it('has scripts, each with the line of its name below `scripts`', () => {
    const text = json({ build: 'no', scripts: { build: 'tsc', test: 'vitest' }, other: {} });
    expect(scripts('package.json', text)).toEqual(['npm build: tsc 4', 'npm test: vitest 5']);
    expect(entries('package.json', text)).toEqual([]);
  });

  it('has no scripts that are no commands', () => {
    expect(scripts('package.json', json({ scripts: { a: 1, b: ['x', 'y'], c: null } }))).toEqual(['npm b: x,y 4']);
    expect(scripts('package.json', json({ scripts: 'x' }))).toEqual([]);
    expect(scripts('package.json', json({ scripts: null }))).toEqual([]);
    expect(scripts('package.json', 'null')).toEqual([]);
    expect(scripts('package.json', '3')).toEqual([]);
  });

  it('takes the first line for a name that no line begins with', () => {
    expect(scripts('package.json', '{ "scripts": { "a": "b" } }')).toEqual(['npm a: b 1']);
  });

  it('begins in its program, or in each of its programs', () => {
    expect(entries('package.json', json({ name: 'x', bin: './x.js' }))).toEqual(['program (bin) ./x.js 3']);
    expect(entries('package.json', json({ a: 1, bin: { a: './a.js', b: './b.js' } }))).toEqual([
      'program (bin) a: ./a.js 4',
      'program (bin) b: ./b.js 5',
    ]);
    expect(entries('package.json', json({ bin: null, main: 3, module: null }))).toEqual([]);
  });

  it('begins in its main file, its module and its exports', () => {
    const text = json({ name: 'x', main: 'a.js', module: 'a.mjs', exports: './b.js' });
    expect(entries('package.json', text)).toEqual([
      'package main a.js 3',
      'package module a.mjs 4',
      'package exports ./b.js 5',
    ]);
  });

  it.each<[unknown, string | undefined]>([
    [{ '.': './a.js', './b': './b.js' }, './a.js'],
    [{ './b': './b.js' }, undefined],
    [{ import: './a.js', source: './b.ts' }, './b.ts'],
    [{ require: './a.js', import: './b.js' }, './b.js'],
    [{ default: './a.js', require: './b.js' }, './b.js'],
    [{ default: './a.js', module: './b.js' }, './b.js'],
    [{ module: './a.js', node: './b.js' }, './b.js'],
    [{ browser: './a.js', default: './b.js' }, './b.js'],
    [{ import: { types: './a.d.ts' }, default: './b.js' }, './b.js'],
    [{ import: null, default: './b.js' }, './b.js'],
    [{ '.': { import: { node: { default: './a.js' } } } }, './a.js'],
    [3, undefined],
    [null, undefined],
  ])('of the exports %j begins in %s', (exports, found) => {
    expect(entries('package.json', json({ exports }))?.[0]?.split(' ')[2]).toBe(found);
  });

  it('has exports up to seven conditions deep', () => {
    const nested = (depth: number): unknown => (depth === 0 ? './x.js' : { default: nested(depth - 1) });
    expect(entries('package.json', json({ exports: nested(7) }))).toHaveLength(1);
    expect(entries('package.json', json({ exports: nested(8) }))).toEqual([]);
  });

  it('says nothing when it is malformed', () => {
    expect(readManifest('package.json', '{"scripts": {')).toEqual({ scripts: [], entries: [] });
  });

  it('has at most five hundred scripts and entries, each of two hundred characters', () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`s${at}`, 'x'.repeat(300)]));
    const found = readManifest('package.json', json({ scripts: many, bin: many }));
    expect([found?.scripts.length, found?.entries.length]).toEqual([500, 500]);
    expect(found?.scripts[0]?.command).toBe(`${'x'.repeat(199)}…`);
  });
});

it('reads the scripts of Composer, and no entries', () => {
  const text = json({ scripts: { test: ['phpunit', 'phpstan'] }, bin: 'x' });
  expect([scripts('composer.json', text), entries('composer.json', text)]).toEqual([
    ['composer test: phpunit,phpstan 3'],
    [],
  ]);
});

describe('a Makefile', () => {
  it.each<[string, string[]]>([
    ['all: build\n', ['make all: build 1']],
    ['all : build\n', ['make all: build 1']],
    ['all:: build\n', ['make all: build 1']],
    ['\nbuild:\n\tgcc x\n', ['make build: gcc x 2']],
    ['a b: c\n', ['make a: c 1', 'make b: c 1']],
    ['a:\na: b\n', ['make a:  1']],
    ['lib/x.y-z: c\n', ['make lib/x.y-z: c 1']],
    ['a:\n  no\n', ['make a:  1']],
    ['CC := gcc\n', []],
    ['CC ::= gcc\n', []],
    ['X = a: b\n', []],
    ['.PHONY: all\n', []],
    ['\tall: x\n', []],
    ['x.o: x.c\nx.so x.a x.h x.d x.lo x.c: y\n', []],
    ['x.oo: y\n', ['make x.oo: y 1']],
    ['a%: b\n$(X): c\n', []],
    ['all: X=1\n', []],
    [`${'a'.repeat(81)}: b\n`, [`make ${'a'.repeat(81)}: b 1`]],
    [`${'a'.repeat(82)}: b\n`, []],
  ])('with %j', (text, found) => {
    expect(scripts('Makefile', text)).toEqual(found);
    expect(entries('Makefile', text)).toEqual([]);
  });
});

it.each<[string, string[]]>([
  ['run:\n  ./run\n', ['just run: ./run 1']],
  ['@run arg="a" *rest: build\n  ./run\n', ['just run: ./run 1']],
  ['_hidden-one2:\n', ['just _hidden-one2:  1']],
  ['x := "1"\n', []],
  ['  run:\n', []],
  ['1run:\n', []],
  ['run\n', []],
])('reads the recipes of a justfile with %j', (text, found) => {
  expect([scripts('justfile', text), entries('justfile', text)]).toEqual([found, []]);
});

it.each<[string, string[]]>([
  ['[testenv]\ncommands = pytest\n', ['tox testenv: pytest 1']],
  ['[tox]\nx = 1\n[testenv:lint]\ndeps = ruff\ncommands =\n    ruff check\n', ['tox lint: ruff check 3']],
  ['[testenv:a]\n[testenv:b]\ncommands=x\n', ['tox a:  1', 'tox b: x 2']],
  ['[testenv:a]\n  commands = x\n', ['tox a:  1']],
  ['[testenv:a]\ncommands =\n', ['tox a:  1']],
  ['[testenvs]\ncommands = x\n', []],
  ['x [testenv]\ncommands = x\n', []],
])('reads the environments of tox with %j', (text, found) => {
  expect([scripts('tox.ini', text), entries('tox.ini', text)]).toEqual([found, []]);
});

it.each<[string, string, string[]]>([
  ['.cargo/config.toml', '[alias]\nx = "run -p x"\n"y-1" = \'z\'\n', ['cargo x: run -p x 2', 'cargo y-1: z 3']],
  ['.cargo/config.toml', '[build]\nx = "a"\n[alias]\ny = "b"\n[other]\nz = "c"\n', ['cargo y: b 4']],
  ['.cargo/config.toml', '  x = "a"\n[alias]\n  y.z = "b"\n\n# c\n', ['cargo y.z: b 3']],
  ['.cargo/config.toml', '# [alias]\nx = "a"\n', []],
  ['pyproject.toml', '[project.scripts]\na = "b:c"\n', ['python a: b:c 2']],
  ['pyproject.toml', '[project.gui-scripts]\na = "b:c"\n', ['python a: b:c 2']],
  ['pyproject.toml', '[tool.poetry.scripts]\na = "b:c"\n', ['python a: b:c 2']],
  ['pyproject.toml', '[tool.pdm.scripts]\na = "b"\n', ['python a: b 2']],
  ['pyproject.toml', '[tool.taskipy.tasks]\na = "b"\n', ['python a: b 2']],
  ['pyproject.toml', '[tool.poe.tasks]\na = "b"\n', ['python a: b 2']],
  ['pyproject.toml', '[tool.hatch.envs.test-1.scripts]\na = "b"\n', ['python a: b 2']],
  ['pyproject.toml', '[project]\nname = "b"\n[tool.other.scripts]\na = "b"\n', []],
])('reads the sections of %s with %j', (path, text, found) => {
  expect(scripts(path, text)).toEqual(found);
});

it('begins in the programs of a Python project, and not in its tasks', () => {
  const text = '[tool.poe.tasks]\na = "b"\n[project.scripts]\nlamp = "lamp.cli:main"\n';
  expect(entries('pyproject.toml', text)).toEqual(['program lamp: lamp.cli:main 4']);
  expect(entries('.cargo/config', '[alias]\na = "b"\n')).toEqual([]);
});

it.each<[string, string[]]>([
  ['[[bin]]\nname = "a"\npath = "src/a.rs"\n', ['program (bin) a: src/a.rs 1']],
  ['[lib]\npath = "src/x.rs"\n[other]\nname = "no"\n', ['library src/x.rs 1']],
  [
    '[package]\npath = "no"\n[[bin]]\npath= "a"\n[[bin]]\nname ="b"\npath ="b"\n',
    ['program (bin) a 3', 'program (bin) b: b 5'],
  ],
  ['[[bin]]\nname = "a"\n', []],
  ['[lib]\nx-path = "no"\n', []],
  ['[dependencies]\n[[test]]\npath = "no"\n', []],
])('begins in the programs of a crate with %j', (text, found) => {
  expect([entries('Cargo.toml', text), scripts('Cargo.toml', text)]).toEqual([found, []]);
});

it.each<[string, string[]]>([
  ['console_scripts =\n  a = b.c:d\n  e-1=f:g\n', ['program a: b.c:d 2', 'program e-1: f:g 3']],
  ["'gui_scripts': ['a = b:c', 'd = e:f'],\n", ['program a: b:c 1', 'program d: e:f 1']],
  ['console_scripts =\n  a = b:c\n[other]\n  d = e:f\n', ['program a: b:c 2']],
  ['console_scripts =\n  a = b:c\nother =\n  d = e:f\n', ['program a: b:c 2']],
  ['console_scripts =\n  a = b:c\n]\n  d = e:f\n', ['program a: b:c 2']],
  ['console_scripts =\n  a = b:c\n}\n  d = e:f\n', ['program a: b:c 2']],
  ['console_scripts =\n\n  a = b:c\n', ['program a: b:c 3']],
  ['other =\n  a = b:c\n', []],
  ['console_scripts =\n  a = b\n', []],
])('begins in the console scripts of setuptools with %j', (text, found) => {
  expect([entries('setup.cfg', text), scripts('setup.cfg', text)]).toEqual([found, []]);
  expect(entries('setup.py', text)).toEqual(found);
});

it('reads no line that is too long for a name', () => {
  expect(scripts('Makefile', `a: ${'b'.repeat(497)}\n`)).toHaveLength(1);
  expect(scripts('Makefile', `a: ${'b'.repeat(498)}\n`)).toEqual([]);
  expect(scripts('justfile', `a${' '.repeat(300)}:\n`)).toEqual([]);
  const script = '  a = b:c';
  expect(entries('setup.cfg', `console_scripts =\n${script.padEnd(500)}\n`)).toHaveLength(1);
  expect(entries('setup.cfg', `console_scripts =\n${script.padEnd(501)}\n`)).toEqual([]);
});
