import { describe, expect, it } from 'vitest';
import { readIntent } from '../newcomers/intent.js';
import { moduleFile, sourceOf } from './built-from.js';
import { readEnvironmentScope } from './environment-scope.js';
import { findFacts } from './fact-questions.js';
import { projectNames } from './project-names.js';

/** Returns the sentences and places that the files of a project answer `question` with. */
function ask(question: string, files: Record<string, string>): string[] {
  const tree = {
    paths: Object.keys(files).sort(),
    linesOf: (path: string) => files[path]?.split('\n'),
  };
  const names = projectNames(tree, 'lamp');
  const intent = readIntent(question, names);
  return findFacts(intent, tree, names).map(({ sentence, path, startLine }) => `${sentence} ${path}:${startLine}`);
}

const PACKAGE =
  '{\n  "name": "lamp",\n  "license": "MIT",\n  "main": "lib/lamp.js",\n  "scripts": {\n    "test": ' +
  '"tap",\n    "build": "tsc"\n  },\n  "engines": {\n    "node": ">=20"\n  }\n}';

describe('the manifests answer', () => {
  it.each<[string, Record<string, string>, string]>([
    ['How do I run the tests?', { 'package.json': PACKAGE }, 'The tests run with `npm test` package.json:6'],
    ['How do I build this?', { 'package.json': PACKAGE }, 'It is built with `npm run build` package.json:7'],
    ['How do I install it?', { 'package.json': PACKAGE }, 'It is installed with `npm install lamp` package.json:2'],
    ['What is the licence?', { 'package.json': PACKAGE }, 'The licence is MIT package.json:3'],
    ['Which version of Node does it need?', { 'package.json': PACKAGE }, 'It needs Node.js >=20 package.json:10'],
    ['What is the entry point?', { 'package.json': PACKAGE }, 'The entry point is `lib/lamp.js` package.json:4'],
    [
      'How do I run the tests?',
      { 'requirements.txt': 'pytest>=3\n', 'setup.py': 'setup(name="lamp")\n', 'tests/test_lamp.py': 'x\n' },
      'The tests run with `pytest` requirements.txt:1',
    ],
    ['how to run tests', { 'tox.ini': '# tests\n[tox]\n' }, 'The tests run with `tox` tox.ini:2'],
    [
      'How are the tests run?',
      { 'go.mod': 'module lamp\n\ngo 1.21\n', 'lamp_test.go': 'package lamp\n' },
      'The tests run with `go test ./...` go.mod:1',
    ],
    [
      'How do I run the tests?',
      { 'CMakeLists.txt': 'project(lamp C)\nenable_testing()\n' },
      'The tests run with `ctest --test-dir build` CMakeLists.txt:2',
    ],
    [
      'How do I build it?',
      { Makefile: 'CC = cc\nlamp: lamp.o\n\tcc -o lamp lamp.o\n' },
      'It is built with `make` Makefile:2',
    ],
    [
      'How do I build it?',
      { 'configure.ac': 'AC_INIT([lamp])\n', configure: '#!/bin/sh\n' },
      'It is built with `./configure && make` configure.ac:1',
    ],
    [
      'How do I run the tests?',
      { 'composer.json': '{\n  "scripts": {\n    "test": "phpunit"\n  }\n}' },
      'The tests run with `composer test` composer.json:3',
    ],
    [
      'What is the entry point?',
      { 'go.mod': 'module example.org/lamp\n', 'lamp.go': 'package lamp\n' },
      'The entry point is `lamp.go` lamp.go:1',
    ],
    [
      'What is the entry point?',
      { 'src/lamp/__init__.py': 'from .a import b\n', 'src/lamp/tools.py': "if __name__ == '__main__':\n" },
      'The entry point is `src/lamp/__init__.py` src/lamp/__init__.py:1',
    ],
    ['What is the entry point?', { 'lamp.sh': '#!/bin/sh\necho\n' }, 'The program starts in `lamp.sh` lamp.sh:1'],
    ['Which version of Go is required?', { 'go.mod': 'module lamp\n\ngo 1.21\n' }, 'It needs Go 1.21 go.mod:3'],
    ['How do I build it?', { 'Cargo.toml': '[package]\n' }, 'It is built with `cargo build --release` Cargo.toml:1'],
    [
      'How do I run the tests?',
      { Makefile: 'all: lamp\n\ntest: lamp\n\t./lamp\n' },
      'The tests run with `make test` Makefile:3',
    ],
    [
      'Where is main?',
      { 'src/lamp.c': '#include <a.h>\n\nint main(int argc, char **argv) {\n' },
      'The program starts in `src/lamp.c` src/lamp.c:3',
    ],
    [
      'Where does the program start?',
      { 'mix.exs': '  escript: [main_module: Lamp.HTTPServer],\n', 'lib/lamp/http_server.ex': '  def main(a) do\n' },
      'The program starts in `lib/lamp/http_server.ex` lib/lamp/http_server.ex:1',
    ],
    [
      'Where does the program start?',
      { 'src/lamp.app.src': '  {mod, {lamp_app, []}},\n', 'src/lamp_app.erl': '-module(lamp_app).\nstart(_, _) ->\n' },
      'The program starts in `src/lamp_app.erl` src/lamp_app.erl:2',
    ],
    [
      'Where does the program start?',
      { 'src/Lamp/Program.cs': 'using Lamp;\n\nvar host = Host.Create(args);\n' },
      'The program starts in `src/Lamp/Program.cs` src/Lamp/Program.cs:3',
    ],
    [
      'Where does the program start?',
      { 'a/Program.cs': 'namespace A\n{\n    static int Main(string[] args)\n' },
      'The program starts in `a/Program.cs` a/Program.cs:3',
    ],
    [
      'Where does the program start?',
      { 'main.ts': 'const a = 1;\nif (import.meta.main) {\n' },
      'The program starts in `main.ts` main.ts:2',
    ],
    [
      'Where does the program start?',
      { 'xtask/src/main.rs': 'fn main() {}\n', 'crates/lamp/src/bin/on.rs': 'fn main() {}\n' },
      'The program starts in `crates/lamp/src/bin/on.rs` crates/lamp/src/bin/on.rs:1',
    ],
    [
      'How do I run the tests?',
      { 'setup.py': 'setup(name="lamp")\n', 'tests/test_lamp.py': 'import lamp\n\ndef test_on():\n' },
      'The tests run with `pytest` tests/test_lamp.py:3',
    ],
    [
      'How do I build it?',
      { 'settings.gradle.kts': 'include("app")\n', 'app/build.gradle.kts': 'application {\n' },
      'It is built with `./gradlew build` settings.gradle.kts:1',
    ],
    [
      'How do I run it?',
      { 'settings.gradle.kts': 'include("app")\n', 'app/build.gradle.kts': 'application {\n' },
      'It is started with `./gradlew run` app/build.gradle.kts:1',
    ],
    [
      'How do I run it?',
      { 'Cargo.toml': '[package]\nname = "lamp"\n\n[[bin]]\npath = "lamp/start.rs"\n' },
      'It is started with `cargo run` Cargo.toml:4',
    ],
    [
      'How do I run it?',
      { 'pyproject.toml': '[project]\nname = "lamp"\n[project.scripts]\nlamp-on = "lamp.cli:main"\n' },
      'It is started with `lamp-on` pyproject.toml:4',
    ],
    [
      'How do I run it?',
      { 'setup.py': 'setup(entry_points={\n  "console_scripts": [\n    "lamp-on = lamp.cli:main",\n' },
      'It is started with `lamp-on` setup.py:3',
    ],
    [
      'How do I run it?',
      { 'go.mod': 'module lamp\n', 'cmd/lampd/main.go': 'package main\n\nfunc main() {}\n' },
      'It is started with `go run ./cmd/lampd` cmd/lampd/main.go:3',
    ],
    [
      'How do I run it?',
      { 'deno.json': '{\n  "tasks": {\n    "start": "deno run main.ts"\n  }\n}\n' },
      'It is started with `deno task start` deno.json:3',
    ],
    [
      'How do I run the tests?',
      { 'build.zig': 'pub fn build(b: *std.Build) void {\n  const t = b.addTest(.{});\n' },
      'The tests run with `zig build test` build.zig:2',
    ],
    [
      'what license is it under',
      { COPYING: 'Mozilla Public License Version 2.0\n' },
      'The licence is MPL-2.0 COPYING:1',
    ],
    [
      'What is the licence?',
      {
        COPYING:
          '      GNU GENERAL PUBLIC LICENSE\n         Version 2, June 1991\n\n(Some other software is covered ' +
          'by the\nGNU Lesser General Public License instead.)\n',
      },
      'The licence is GPL-2.0 COPYING:1',
    ],
    [
      'What is the licence?',
      { COPYING: '  GNU LESSER GENERAL PUBLIC LICENSE\n     Version 2.1, February 1999\n' },
      'The licence is LGPL-2.1 COPYING:1',
    ],
    [
      'What is the licence?',
      { LICENSE: 'Redistribution and use in source and binary forms are permitted.\nNeither the name of x nor y.\n' },
      'The licence is BSD-3-Clause LICENSE:1',
    ],
    ['What is the license?', { LICENSE: 'All rights are mine.\n' }, 'The licence is in `LICENSE` LICENSE:1'],
  ])('%s', (question, files, first) => expect(ask(question, files)[0]).toBe(first));

  it('the own scripts of the project before the usual command of its ecosystem', () => {
    const files = { 'Cargo.toml': '[package]\n', Makefile: 'check:\n\tcargo test --workspace\n' };
    expect(ask('How do I run the tests?', files)).toEqual([
      'The tests run with `make check` Makefile:1',
      'The tests run with `cargo test` Cargo.toml:1',
    ]);
  });

  it('no question about something particular, and none that no file answers', () => {
    expect(ask('How do I run the migration of the ledger in tests?', { 'package.json': PACKAGE })).toEqual([]);
    expect(ask('Where is the licence header of `lamp.js` checked?', { 'package.json': PACKAGE })).toEqual([]);
    expect(ask('How do I run the tests?', { 'README.md': '# Lamp\n' })).toEqual([]);
    expect(ask('How do I run the tests?', { 'go.mod': 'module lamp\n', 'setup.py': 'setup(name="x")\n' })).toEqual([]);
    expect(ask('How do I run the tests?', { 'CMakeLists.txt': 'project(lamp C)\n' })).toEqual([]);
  });

  it('untrusted manifests within bounds', () => {
    const long = `"license": "${'x'.repeat(100_000)}"`;
    expect(ask('What is the licence?', { 'package.json': `{\n${long}\n}` })).toEqual([]);
    expect(ask('How do I run the tests?', { 'package.json': '{ "scripts": {' })).toEqual([]);
  });
});

describe('build systems of more languages', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'How do I build it?',
      { 'Makefile.PL': 'use X;\nWriteMakefile(\n' },
      'It is built with `perl Makefile.PL && make` Makefile.PL:2',
    ],
    ['How do I run the tests?', { 'Makefile.PL': 'WriteMakefile(\n' }, 'The tests run with `make test` Makefile.PL:1'],
    ['How do I build it?', { 'lamp.cabal': 'name: lamp\n' }, 'It is built with `cabal build` lamp.cabal:1'],
    ['How do I run the tests?', { 'lamp.cabal': 'test-suite a\n' }, 'The tests run with `cabal test` lamp.cabal:1'],
    ['How do I build it?', { SConstruct: 'import os\n' }, 'It is built with `scons` SConstruct:1'],
    [
      'How do I run the tests?',
      { 'Makefile.in': 'check: all\n', 'Makefile.am': 'SUBDIRS = src\n', 'src/tests/Makefile.am': 'TESTS = a b\n' },
      'The tests run with `make check` src/tests/Makefile.am:1',
    ],
  ])('%s', (question, files, first) => expect(ask(question, files)[0]).toBe(first));
});

describe('what a question about the environment is limited to', () => {
  it('a folder below others, and no tests', () => {
    expect(readEnvironmentScope('which variables are read by the sources in src/front?').folders).toEqual([
      'src/front',
    ]);
    expect(readEnvironmentScope('which variables are read? ignore the tests.').leavesOutTests).toBe(true);
    expect(readEnvironmentScope('which variables are read?').leavesOutTests).toBeUndefined();
  });
});

describe('where a program or a library begins', () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      'gem',
      {
        'lamp.gemspec': 'Gem::Specification.new do |s|\n  s.executables = ["lamp"]\nend\n',
        'exe/lamp': "#!/usr/bin/env ruby\nrequire 'lamp/cli'\nLamp::CLI.start\n",
        'lib/lamp/cli.rb': 'module Lamp\n  class CLI\n  end\nend\n',
      },
      ['The program starts in `exe/lamp` exe/lamp:1', 'It runs `lib/lamp/cli.rb` lib/lamp/cli.rb:2'],
    ],
    [
      'Perl',
      { 'Makefile.PL': "WriteMakefile(\n    EXE_FILES => [ 'glow' ],\n);\n", glow: '#!/usr/bin/perl\n\nMAIN: {\n' },
      ['The program starts in `glow` glow:3'],
    ],
    [
      'Perl that hands on',
      {
        'Makefile.PL': "WriteMakefile(\n    EXE_FILES => ['script/lamp'],\n);\n",
        'script/lamp': '#!/usr/bin/perl\nuse strict;\nuse App::Lamp;\nApp::Lamp->run;\n',
        'lib/App/Lamp.pm': '# On and off\npackage App::Lamp;\n',
      },
      ['The program starts in `script/lamp` script/lamp:1', 'It runs `lib/App/Lamp.pm` lib/App/Lamp.pm:2'],
    ],
    [
      'PHP that hands on',
      {
        'bin/lamp': '#!/usr/bin/env php\n<?php\n(new Acme\\Lamp\\Application())->run();\n',
        'src/Application.php': '<?php\nnamespace Acme\\Lamp;\n\nfinal class Application\n',
      },
      ['Its command starts in `bin/lamp` bin/lamp:1', 'It runs `src/Application.php` src/Application.php:4'],
    ],
    [
      'Haskell',
      {
        'lamp.cabal': 'executable lamp\n    main-is: src/Main.hs\n',
        'src/Main.hs': 'module Main where\nmain :: IO ()\n',
      },
      ['The program starts in `src/Main.hs` src/Main.hs:2'],
    ],
    [
      'Java',
      {
        'pom.xml': '<mainClass>org.lamp.Cli</mainClass>\n',
        'src/main/java/org/lamp/Cli.java': 'class Cli {\n  static void main(String[] a) {\n',
      },
      ['The program starts in `src/main/java/org/lamp/Cli.java` src/main/java/org/lamp/Cli.java:2'],
    ],
    [
      'Go script that no build takes',
      {
        'go.mod': 'module example.org/lamp\n',
        'make.go': '//go:build ignore\n\npackage main\n\nfunc main() {}\n',
        'lamp.go': 'package lamp\n',
      },
      ['The entry point is `lamp.go` lamp.go:1', 'It is imported as `example.org/lamp` go.mod:1'],
    ],
  ])('%s', (_, files, facts) => {
    const found = ask('What is the entry point?', files);
    expect(found.slice(0, facts.length)).toEqual(facts);
  });

  it('a class that the guides show, whatever its namespace', () => {
    const files = {
      'README.rst': 'Lamp\n====\n',
      'docs/api.rst': '    $lamp = new \\Lamp\\Bulb($x);\n',
      'src/Bulb.php': '<?php\nclass Bulb\n{\n',
      'run.sh': '#!/bin/sh\n',
    };
    expect(ask('Which class does a user of the library start with?', files)[0]).toBe(
      'A user starts with `Bulb`, in `src/Bulb.php` src/Bulb.php:2',
    );
  });
});

describe('the source of what a manifest names', () => {
  it.each<[string, string[], string | undefined]>([
    ['dist/lamp.js', ['lib/lamp.ts', 'lib/index.ts'], 'lib/lamp.ts'],
    ['./dist/cjs/index.cjs', ['src/index.ts'], 'src/index.ts'],
    ['lib/lamp', ['lib/lamp.js'], 'lib/lamp.js'],
    ['./lib', ['lib/index.js'], 'lib/index.js'],
    ['build/lamp.min.js', ['lamp.js'], 'lamp.js'],
    ['../other/lamp.js', ['other/lamp.js'], undefined],
    ['dist/lamp.js', ['test/lamp.ts'], undefined],
  ])('%s', (named, paths, source) => {
    expect(sourceOf(named, '', (path) => paths.includes(path))).toBe(source);
  });

  it('a module of Python', () => {
    const has = (path: string) => path === 'src/lamp/cli.py';
    expect(moduleFile('lamp.cli', '', has)).toBe('src/lamp/cli.py');
    expect(moduleFile('lamp.gone', '', has)).toBeUndefined();
  });
});
