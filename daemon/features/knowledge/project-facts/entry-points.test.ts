import { describe, expect, it } from 'vitest';
import { ASIDE_DISTANCE, entryDistance, findEntryPoints } from './entry-points.js';

/** Returns `<sentence> <path>:<line>` for each place where the project of these files begins. */
const find = (files: Record<string, string>, names: readonly string[] = [], isLibrary = false) =>
  findEntryPoints(
    { paths: Object.keys(files).sort(), linesOf: (path) => files[path]?.split('\n') },
    names,
    isLibrary,
  ).map(({ sentence, path, startLine }) => `${sentence} ${path}:${startLine}`);

const program = (path: string, line = 1) => `The program starts in \`${path}\` ${path}:${line}`;
const library = (path: string, line = 1) => `The entry point is \`${path}\` ${path}:${line}`;

describe('a program starts at the first line of its main function', () => {
  it.each<[string, string, number]>([
    ['a.go', '// func main()\nfunc main() {', 2],
    ['a.rs', ' fn main(\nfn main() {', 2],
    ['a.rs', 'pub  async  fn main() {', 1],
    ['a.c', '// int main(\nint main(int argc', 2],
    ['a.c', 'extern  "C"  void  WINAPI  wmain  (', 1],
    ['a.cc', 'int main()', 1],
    ['a.cpp', 'int main()', 1],
    ['a.cxx', 'int main()', 1],
    ['A.java', 'class A {\n  public  static  void  main  (String[] a)', 2],
    ['A.java', 'public static void main(', 1],
    ['a.kt', ' fun main()\nfun main()', 2],
    ['A.cs', '\n  static  async  Task<int>  Main  (string[] a)', 2],
    ['A.cs', 'static void Main()', 1],
    ['A.cs', 'static async Task Main()', 1],
    ['A.cs', 'static int Main()', 1],
    ['Program.cs', 'using A;\nnamespace B;\n// c\n/* d\n * e\n  f\n#g\n\uFEFFh\nvar i = 1;', 9],
    ['x/Program.cs', 'usingA;', 1],
    ['a.js', ' if (import.meta.main)\nif (import.meta.main) {', 2],
    ['a.mts', 'if (import.meta.main) {', 1],
    ['a.cjs', 'if (import.meta.main) {', 1],
    ['__main__.py', '\nimport x', 2],
    ['x/__main__.py', 'x', 1],
    ['Main.hs', '-- main ::\n>  main  :: IO ()', 2],
    ['x/Main.lhs', 'main:: IO ()', 1],
    ['a.scala', '//  def main(\n  def main(', 2],
    ['a.sc', 'object Lamp extends App {', 1],
    ['a.scala', '@main', 1],
    ['a.d', '// int main\n  int main(', 2],
    ['a.zig', 'pub fn main() void {', 1],
    ['a.nim', 'proc main() =', 1],
    ['a.v', 'fn main() {', 1],
    ['a.odin', 'void main', 1],
    ['a.swift', '// @main\n@main', 2],
    ['a.dart', 'Future<void> main() {', 1],
    ['a.dart', 'void main() {', 1],
    ['a.dart', 'main() {', 1],
  ])('in %s: %j', (path, text, line) => {
    expect(find({ [path]: text })).toEqual([program(path, line)]);
    expect(find({ [`${path}_`]: text })).toEqual([]);
  });

  it.each([
    ['MyProgram.cs', 'var a = 1;'],
    ['x__main__.py', 'x'],
    ['MyMain.hs', 'main ::'],
    ['a.txt', 'func main()'],
    ['a.go', '// +build ignore\nfunc main()'],
    ['a.go', '//  go:build  ignore\nfunc main()'],
    ['a.go', '//go:build ignore\nfunc main()'],
  ])('and not in %s: %j', (path, text) => expect(find({ [path]: text })).toEqual([]));

  it('a Go file is left out by such a line alone', () => {
    expect(find({ 'a.go': 'x //go:build ignore\n//go:build ignored\nfunc main()' })).toEqual([program('a.go', 3)]);
  });

  it('the file nearest to the start of the project first, at most five', () => {
    const text = 'func main()';
    const paths = ['a/b/c.go', 'z.go', 'b.go', 'x/y/main.go', 'w/lamp.go', 'v/index.go', 'u/v/w/x.go'];
    expect(find(Object.fromEntries(paths.map((path) => [path, text])), ['lamp'])).toEqual(
      ['w/lamp.go', 'v/index.go', 'x/y/main.go', 'b.go', 'z.go'].map((path) => program(path)),
    );
  });
});

describe('scripts count when nothing else tells', () => {
  it.each<[string, string, number]>([
    ['a.py', "# if __name__ == '__main__'\nif __name__ == '__main__':", 2],
    ['b.py', ' if __name__ == "__main__":\nif __name__ == "__main__":', 2],
    ['a.sh', 'x #!\n#!/bin/sh', 2],
    ['a.bash', '#!/bin/sh', 1],
    ['a.pl', '#!/bin/sh', 1],
    ['a.rb', '#!/bin/sh', 1],
    ['a.py', '#!/bin/sh', 1],
    ['x/bin/go-on', '#!/bin/sh', 1],
  ])('%s: %j', (path, text, line) => {
    expect(find({ [path]: text })).toEqual([program(path, line)]);
    expect(find({ [path]: text }, [], true)).toEqual([]);
    expect(find({ [path]: text, 'a.go': 'func main()' })).toEqual([program('a.go')]);
    expect(find({ [`${path}.txt`]: text })).toEqual([]);
  });
});

describe('how far a file is from the start of its project', () => {
  it.each<[string, number]>([
    ['a.c', 1],
    ['x/y/a.c', 3],
    ['x/Lamp.c', -18],
    ['lamp', -19],
    ['x/lamp/a.c', 3],
    ['main.c', -9],
    ['x/CLI.js', -8],
    ['__main__.py', -9],
    ['index.ts', -9],
    ['app.rb', -9],
    ['domain.c', 1],
    ['mains.c', 1],
    ['build.rs', ASIDE_DISTANCE],
    ['x/setup.py', ASIDE_DISTANCE],
    ['conftest.py', ASIDE_DISTANCE],
    ['mysetup.py', 1],
    ['setup.pyx', 1],
    ['tests/main.c', ASIDE_DISTANCE],
    ['unit-tests/main.c', ASIDE_DISTANCE],
    ['T/main.c', ASIDE_DISTANCE],
    ['x/xt/main.c', ASIDE_DISTANCE],
    ['vendor/main.c', ASIDE_DISTANCE],
    ['third-party/main.c', ASIDE_DISTANCE],
    ['external/main.c', ASIDE_DISTANCE],
    ['lamp_test.go', ASIDE_DISTANCE],
    ['lamp-tests.rb', ASIDE_DISTANCE],
    ['x/test.c', ASIDE_DISTANCE],
    ['examples.py', ASIDE_DISTANCE],
    ['latest/main.c', -8],
  ])('%s: %i', (path, distance) => expect(entryDistance(path, ['lamp'])).toBe(distance));
});

describe('what `package.json` names', () => {
  it.each<[string, string]>([
    ['bin', 'Its command starts in `x.js`'],
    ['main', 'The entry point is `x.js`'],
    ['module', 'The entry point of its modules is `x.js`'],
  ])('as "%s"', (field, sentence) => {
    const text = (line: string) => ({ 'package.json': `{\n"a": ${line}\n${line}` });
    expect(find(text(`  "${field}"  :  "x.js"`))).toEqual([`${sentence} package.json:3`]);
    expect(find(text(`"${field}":"x.js"`))).toEqual([`${sentence} package.json:3`]);
  });

  it('begins in the file that is there, or in the source that it is built from', () => {
    const manifest = { 'package.json': '{\n  "main": "dist/lamp.js"' };
    const named = 'The entry point is `dist/lamp.js` package.json:2';
    expect(find({ ...manifest, 'src/lamp.ts': 'import a;\nexport const b = 1;' })).toEqual([
      named,
      'It begins in `src/lamp.ts` src/lamp.ts:2',
    ]);
    expect(find({ ...manifest, 'src/lamp.ts': 'x' })).toEqual([named, 'It begins in `src/lamp.ts` src/lamp.ts:1']);
  });

  it.each([
    "module.exports = require('./on');",
    '  exports=require(  "./on"  )',
    "export * from './on';",
    "  export  *  from  './on.js'",
    "export { a, b } from './on';",
    "'use strict';\n\n// why\n/* why */\n * why\nexport {} from '../src/on'",
    `${'let a;\n'.repeat(11)}export * from './on';`,
  ])('passes on what a file of few lines hands out: %j', (text) => {
    const files = { 'package.json': '"main": "src/lamp.js"', 'src/lamp.js': text, 'src/on.js': '\nfunction on() {}' };
    expect(find(files).slice(1)).toEqual([
      'It begins in `src/lamp.js` src/lamp.js:1',
      'It passes `src/on.js` on src/on.js:2',
    ]);
  });

  it.each([
    "// module.exports = require('./on');",
    "const a = require('./on');",
    "export * from 'on';",
    "x export * from './on';",
    "export * from './gone';",
    `${'let a;\n'.repeat(12)}export * from './on';`,
    `${' '.repeat(500)}export * from './on';`,
  ])('and not otherwise: %j', (text) => {
    const files = { 'package.json': '"main": "src/lamp.js"', 'src/lamp.js': text, 'src/on.js': '' };
    expect(find(files)).toEqual([
      'The entry point is `src/lamp.js` package.json:1',
      'It begins in `src/lamp.js` src/lamp.js:1',
    ]);
  });

  it('a user of the library is not told its command, and programs come last', () => {
    const files = {
      'package.json': '"bin": "a.js"\n"main": "b.js"',
      'a.go': 'func main()',
      'lib/glow.rb': 'x',
    };
    const main = 'The entry point is `b.js` package.json:2';
    expect(find(files)).toEqual([
      'Its command starts in `a.js` package.json:1',
      main,
      program('a.go'),
      library('lib/glow.rb'),
    ]);
    expect(find(files, [], true)).toEqual([main, library('lib/glow.rb'), program('a.go')]);
  });
});

describe('an executable script that is called as the project', () => {
  it.each(['bin/lamp', 'exe/lamp.rb'])('%s is its command', (path) => {
    expect(find({ [path]: '\n#!/bin/sh' }, ['lamp'])[0]).toBe(`Its command starts in \`${path}\` ${path}:2`);
  });
  it.each(['script/lamp', 'scripts/lamp.sh', 'src/lamp.bash', 'lamp.php', 'lamp'])('%s is the program', (path) => {
    expect(find({ [path]: 'x #!\n#!/bin/sh' }, ['lamp'])[0]).toBe(program(path, 2));
  });
  it.each([
    ['bin/lamp', 'echo', 'lamp'],
    ['bin/other', '#!/bin/sh', 'lamp'],
    ['x/bin/lamp.txt', '#!/bin/sh', 'lamp'],
    ['my/lamp', '#!/bin/sh', 'lamp'],
    ['lamp.exe', '#!/bin/sh', 'lamp'],
  ])('%s %j is not, for %s', (path, text, name) => expect(find({ [path]: text }, [name])).toEqual([]));

  it('says what it loads', () => {
    expect(find({ 'bin/lamp': "#!/usr/bin/ruby\nrequire 'lamp/cli'", 'lib/lamp/cli.rb': 'class A' }, ['lamp'])).toEqual(
      ['Its command starts in `bin/lamp` bin/lamp:1', 'It runs `lib/lamp/cli.rb` lib/lamp/cli.rb:1'],
    );
  });
});

describe('where a library begins in its language', () => {
  it.each([
    'src/lib.rs',
    'my-lamp/__init__.py',
    'src/my_lamp/__init__.py',
    'lib/lamp/__init__.py',
    'index.js',
    'src/index.mts',
    'lib/index.cjsx',
    'index.tsx',
    'lib/my-lamp.rb',
    'include/lamp.h',
    'include/a.b/c-d/lamp.on.hpp',
    'include/lamp.hh',
    'include/lamp.hxx',
  ])('%s', (path) => {
    expect(find({ [path]: '\nx' })).toEqual([library(path, 2)]);
    expect(find({ [`x/y/${path}`]: 'x' })).toEqual([]);
    expect(find({ [`${path}_`]: 'x' })).toEqual([]);
    expect(find({ [path]: '' })).toEqual([]);
  });

  it.each(['include/a/b/c/lamp.h', 'lib/a/b.rb', 'index.py'])('and not %s', (path) =>
    expect(find({ [path]: 'x' })).toEqual([]),
  );

  it('the file that is called as its folder, or lies highest, or comes first', () => {
    const first = (...paths: string[]) => find(Object.fromEntries(paths.map((path) => [path, 'x'])))[0];
    expect(first('include/a.h', 'include/b/b.h')).toBe(library('include/b/b.h'));
    expect(first('include/a/c.h', 'include/d.h')).toBe(library('include/d.h'));
    expect(first('include/d.h', 'include/c.h')).toBe(library('include/c.h'));
    expect(first('tests/__init__.py', 'lamp/__init__.py')).toBe(library('lamp/__init__.py'));
  });

  it('the module of Go, by the name with which it is imported', () => {
    expect(find({ 'go.mod': '// module x\nmodule  "a.org/b"' })).toEqual(['It is imported as `a.org/b` go.mod:2']);
    expect(find({ 'go.mod': 'module a.org/b' })).toEqual(['It is imported as `a.org/b` go.mod:1']);
  });

  it('each file once', () => {
    expect(find({ 'index.js': 'x\nclass A' }, ['index'])).toEqual([library('index.js', 2)]);
  });
});

describe('the source that is called as the project', () => {
  it.each([
    'lamp.js',
    'src/Lamp.mts',
    'lamp.py',
    'lamp.rb',
    'lamp.go',
    'lamp.rs',
    'Lamp.java',
    'lamp.kt',
    'lamp.php',
    'lamp.cs',
    'lamp.c',
    'lamp.cc',
    'lamp.cpp',
    'lamp.h',
    'lamp.hpp',
    'lamp.swift',
  ])('%s', (path) => {
    expect(find({ [path]: 'import x\nclass A' }, ['lamp'])).toEqual([library(path, 2)]);
    expect(find({ [path]: 'x' }, ['other'])).toEqual([]);
    expect(find({ [`${path}on`]: 'x' }, ['lamp'])).toEqual([]);
    expect(find({ [`tests/${path}`]: 'x' }, ['lamp'])).toEqual([]);
  });

  it.each([
    'export abstract class A',
    'public final interface A',
    'pub struct A',
    'static async function a',
    'module A',
    'def a',
    'func a',
    'fn a',
    'package a',
    'namespace a',
    'const a',
    'module.exports = a',
  ])('begins at %s', (line) => {
    expect(find({ 'lamp.js': `x\n  ${line}\n${line}` }, ['lamp'])).toEqual([library('lamp.js', 3)]);
  });

  it('the nearest one, and of two beside each other the header', () => {
    const first = (...paths: string[]) => find(Object.fromEntries(paths.map((path) => [path, 'x'])), ['lamp', 'lamp2']);
    expect(first('a/lamp.h', 'lamp.c')).toEqual([library('lamp.c')]);
    expect(first('lamp.c', 'lamp.h', 'lamp.hpp')).toEqual([library('lamp.h')]);
    expect(first('lamp.c', 'lamp.hpp')).toEqual([library('lamp.hpp')]);
    expect(first('lamp2.c', 'lamp.c')).toEqual([library('lamp.c')]);
  });
});

describe('what the guide shows first', () => {
  it.each<[string, string]>([
    ['new Bulb()', 'Bulb.php'],
    ['new \\Acme\\Lamp\\Bulb()', 'Bulb.php'],
    ['  use Acme\\Bulb;', 'Bulb.php'],
    ['from acme.lamp import bulb', 'bulb.py'],
    ['Bulb.new', 'Bulb.rb'],
    ['{@link Bulb}', 'Bulb.java'],
    ['{@link org.acme.Bulb}', 'Bulb.kt'],
    ['Bulb bulb = x', 'Bulb.cs'],
    ['Bulb.create(', 'Bulb.swift'],
    ['#include <acme/bulb.h>', 'bulb.h'],
    ['#include  "bulb.h"', 'bulb.hpp'],
    ['new Bulb()', 'Bulb.ts'],
    ['new Bulb()', 'Bulb.js'],
  ])('%s of %s', (line, file) => {
    const name = file.replace(/\..*/, '');
    const text = `x\n  public class ${name} {`;
    const files = { 'README.md': `# Lamp\n${line}`, [`a/${file}`]: text, [`tests/${file}`]: text };
    expect(find(files)).toEqual([`A user starts with \`${name}\`, in \`a/${file}\` a/${file}:2`]);
    expect(find({ ...files, [`a/${file}`]: 'x' })).toEqual([
      `A user starts with \`${name}\`, in \`a/${file}\` a/${file}:1`,
    ]);
  });

  it.each(['class', 'interface', 'struct', 'module', 'trait', 'def', 'function'])('which a %s defines', (word) => {
    const text = `${word} Bulbs\n${word}  Bulb`;
    expect(find({ readme: 'new Bulb(', 'Bulb.ts': text })).toEqual([
      'A user starts with `Bulb`, in `Bulb.ts` Bulb.ts:2',
    ]);
  });

  it.each([
    'readme',
    'README.mkd',
    'readme.rst',
    'docs/README.md',
    'doc/index.rst',
    'docs/en/introduction.md',
    'docs/api.md',
    'docs/quick-start.md',
    'docs/getting_started.md',
    'docs/gettingstarted.md',
    'core/src/main/java/a/package-info.java',
    'src/main/java/a/package-info.java',
    'src/site/a/user-guide.md',
  ])('on the page %s', (page) => {
    expect(find({ [page]: 'new Bulb(', 'Bulb.ts': '' })).toEqual(['A user starts with `Bulb`, in `Bulb.ts` Bulb.ts:1']);
  });

  it.each(['x/README.md', 'README.html', 'docs/a/b/index.md', 'docs/other.md', 'package-info.java'])(
    'and not on %s',
    (page) => expect(find({ [page]: 'new Bulb(', 'Bulb.ts': '' })).toEqual([]),
  );

  it('of the pages the README, then the least nested one, then the first one decides', () => {
    const shown = (...pages: string[]) =>
      find({
        ...Object.fromEntries(pages.map((page, at) => [page, `new Bulb${at}(`])),
        ...Object.fromEntries(pages.map((_, at) => [`Bulb${at}.ts`, ''])),
      }).map((one) => /`(\w+)`/.exec(one)?.[1]);
    expect(shown('docs/api.md', 'src/main/java/a/package-info.java', 'README.md')).toEqual(['Bulb2']);
    expect(shown('docs/api.md', 'src/main/java/a/package-info.java')).toEqual(['Bulb1']);
    expect(shown('docs/en/api.md', 'docs/usage.md')).toEqual(['Bulb1']);
    expect(shown('docs/usage.md', 'docs/api.md')).toEqual(['Bulb1']);
    expect(find({ 'README.md': 'nothing', 'docs/api.md': 'new Bulb(', 'Bulb.ts': '' })).toHaveLength(1);
  });

  it('each name once, of short lines near the top', () => {
    const files = { 'Bulb.ts': '', 'Wick.ts': '' };
    const shown = (text: string) => find({ ...files, readme: text }).map((one) => /`(\w+)`/.exec(one)?.[1]);
    expect(shown('new Wick(\nnew Bulb(\nnew Wick(')).toEqual(['Wick', 'Bulb']);
    expect(shown(`${'\n'.repeat(399)}new Bulb(`)).toEqual(['Bulb']);
    expect(shown(`${'\n'.repeat(400)}new Bulb(`)).toEqual([]);
    expect(shown(`${' '.repeat(291)}new Bulb(`)).toEqual(['Bulb']);
    expect(shown(`${' '.repeat(292)}new Bulb(`)).toEqual([]);
    expect(shown('new Gone(\nnew Bulb(')).toEqual(['Bulb']);
    const many = Array.from({ length: 6 }, (_, at) => `Lamp${at}`);
    const all = Object.fromEntries(many.map((name) => [`${name}.ts`, '']));
    expect(find({ ...all, readme: many.map((name) => `new ${name}(`).join('\n') })).toHaveLength(5);
    expect(find({ 'tests/Bulb.ts': '', 'zoo/Bulb.ts': '', readme: 'new Bulb(' })).toEqual([
      'A user starts with `Bulb`, in `zoo/Bulb.ts` zoo/Bulb.ts:1',
    ]);
    expect(find({ 'MyBulb.ts': '', 'Bulb.tsx': '', readme: 'new Bulb(' })).toEqual([]);
  });
});

it('names a place once, by the first rule that finds it', () => {
  const files = { 'composer.json': '"bin": "bin/lamp.go"', 'bin/lamp.go': 'func main()' };
  expect(find(files)).toEqual([program('bin/lamp.go')]);
});
