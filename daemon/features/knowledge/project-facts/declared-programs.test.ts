import { describe, expect, it } from 'vitest';
import { declaredPrograms, findLoadedFile } from './declared-programs.js';
import type { ProjectTree } from './project-fact.js';

const toTree = (files: Record<string, string>): ProjectTree => ({
  paths: Object.keys(files).sort(),
  linesOf: (path) => files[path]?.split('\n'),
});
const find = (files: Record<string, string>, names: readonly string[] = []) =>
  declaredPrograms(toTree(files), names).map(({ sentence, path, startLine }) => `${sentence} ${path}:${startLine}`);
const program = (path: string, line = 1) => `The program starts in \`${path}\` ${path}:${line}`;

describe('a program that a manifest names', () => {
  it.each<[string, string, string]>([
    ['a.b-c.gemspec', '  s.executables = ["lamp-on.x/y"]', 'exe/lamp-on.x/y'],
    ['a.gemspec', "s.executables=['a', 'lamp']", 'bin/lamp'],
    ['a.gemspec', 's.executable  =  "lamp"', 'bin/lamp'],
    ['a.gemspec', 's.executables  <<"lamp"', 'bin/lamp'],
    ['a.gemspec', 's.executables += %w[a lamp b]', 'bin/lamp'],
    ['a.gemspec', 's.executables = %w  (lamp)', 'exe/lamp'],
    ['a.gemspec', 's.executables = %w{  x  lamp  }', 'exe/lamp'],
    ['Makefile.PL', "EXE_FILES=>['script/lamp']", 'script/lamp'],
    ['Build.PL', "  'script_files'  =>  qw(a bin/lamp.pl-x)", 'bin/lamp.pl-x'],
    ['Makefile.PL', '"EXE_FILES" => ["./lamp"]', 'lamp'],
    ['a.b-c.cabal', '  Main-Is:  Lamp.hs', 'Lamp.hs'],
    ['a.cabal', 'main-is:Lamp.hs', 'src/Lamp.hs'],
    ['a.cabal', 'main-is: Lamp.hs', 'app/Lamp.hs'],
    ['a.cabal', 'main-is: Lamp.hs', 'exe/Lamp.hs'],
    ['package.yaml', '  main:  Lamp.hs', 'Lamp.hs'],
    ['package.yaml', 'main:Lamp.hs', 'app/Lamp.hs'],
    ['package.yaml', 'main: Lamp.hs', 'src/Lamp.hs'],
    ['package.yaml', 'main: Lamp.hs', 'exe/Lamp.hs'],
    ['pom.xml', '<mainClass>org.acme.Lamp2<', 'x/org/acme/Lamp2.java'],
    ['core-1/pom.xml', '<Main-Class>acme.Lamp<', 'x/acme/Lamp.kt'],
    ['build.gradle', 'mainClass = "acme.Lamp"', 'x/acme/Lamp.scala'],
    ['build.gradle.kts', 'mainClass.set("acme.Lamp")', 'x/acme/Lamp.java'],
    ['build.gradle', "mainClassName 'acme.Lamp'", 'x/acme/Lamp.java'],
    ['build.gradle', "'Main-Class': ('acme.Lamp')", 'x/acme/Lamp.java'],
    ['build.xml', 'main-class="acme.Lamp"', 'x/acme/Lamp.java'],
    ['build.sbt', 'mainClass := "acme.Lamp"', 'x/acme/Lamp.scala'],
    ['composer.json', '  "bin"  :  ["a", "bin/lamp"],', 'bin/lamp'],
    ['composer.json', '"bin":"bin/lamp"', 'bin/lamp'],
    ['mix.exs', 'escript: [main_module:  Acme.LampHTTPServer2On]', 'lib/acme/lamp_http_server2_on.ex'],
    ['mix.exs', 'main_module:Lamp', 'lib/lamp.ex'],
    ['mix.exs', 'mod:  {  Lamp.App, []}', 'lib/lamp/app.ex'],
    ['mix.exs', 'mod:{Lamp.App, []}', 'lib/lamp/app.ex'],
    ['src/lamp.app.src', '{mod,  {lamp_app, []}}', 'src/lamp_app.erl'],
    ['apps/lamp/src/lamp.app.src', '{mod,{lamp_app, []}}', 'apps/lamp/src/lamp_app.erl'],
  ])('in %s as %s is %s', (manifest, line, path) => {
    expect(find({ [manifest]: `x\n${line}`, [path]: '' })).toEqual([program(path)]);
    expect(find({ [manifest]: `x\n${line}` })).toEqual([]);
    expect(find({ [`x/y/${manifest}`]: line, [path]: '' })).toEqual([]);
    expect(find({ [`${manifest}.x`]: line, [path]: '' })).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['a.cabal', '-- main-is: Lamp.hs', 'Lamp.hs'],
    ['package.yaml', '# main: Lamp.hs', 'Lamp.hs'],
    ['composer.json', 'x "bin": "lamp"', 'lamp'],
    ['composer.json', `"bin": "lamp"${' '.repeat(988)}`, 'lamp'],
    ['pom.xml', '<mainClass>Lamp<', 'x/Lamp.java'],
    ['pom.xml', '<mainClass>acme.Lamp<', 'x/notacme/Lamp.java'],
    ['mix.exs', 'main_module: lamp', 'lib/lamp.ex'],
  ])('is none in %s as %j', (manifest, line, path) => expect(find({ [manifest]: line, [path]: '' })).toEqual([]));

  it('is read from a line of a thousand characters', () => {
    expect(find({ 'composer.json': `"bin": "lamp"${' '.repeat(987)}`, lamp: '' })).toEqual([program('lamp')]);
  });

  it('begins where its main function does', () => {
    const line = (text: string) =>
      Number(
        find({ 'composer.json': '"bin": "lamp"', lamp: `x\n${text}` })[0]
          ?.split(':')
          .at(-1),
      );
    for (const text of [
      'main  ::',
      'main::',
      'MAIN {',
      'sub main {',
      'int main(',
      'start(',
      '  public static void main(',
      'object Lamp',
      'fun main(',
      '  def main(x',
      'def start(',
    ])
      expect([text, line(text)]).toEqual([text, 2]);
    for (const text of [' main ::', ' start(', 'x def main(', ' object Lamp', 'x fun main']) expect(line(text)).toBe(1);
  });

  it('is named once, at most three of them, those called as the project first', () => {
    const composer = (...names: string[]) => ({
      'composer.json': `"bin": [${names.map((name) => `"${name}"`).join(', ')}]`,
      ...Object.fromEntries(names.map((name) => [name, ''])),
    });
    expect(find(composer('a', 'b', 'a', 'c', 'd'))).toEqual([program('a'), program('b'), program('c')]);
    expect(find(composer('a', 'b', 'x/Lamp.php', 'bin/glow'), ['lamp', 'glow'])).toEqual([
      program('x/Lamp.php'),
      program('bin/glow'),
      program('a'),
    ]);
  });

  it('is told beside what was said before, with the file that it hands on to', () => {
    const files = { 'composer.json': '"bin": "lamp"', lamp: "require 'on'", 'lib/on.rb': '\nclass On' };
    expect(declaredPrograms(toTree(files), [])).toEqual([
      { sentence: 'The program starts in `lamp`', path: 'lamp', startLine: 1, endLine: 1, isAlso: true },
      { sentence: 'It runs `lib/on.rb`', path: 'lib/on.rb', startLine: 2, endLine: 2, isAlso: true },
    ]);
  });
});

describe('the file that a short script loads', () => {
  const load = (script: string, files: Record<string, string>) =>
    findLoadedFile(toTree({ lamp: script, ...files }), 'lamp').map(({ path, startLine }) => `${path}:${startLine}`);

  it.each<[string, string]>([
    ["  require  'lamp/on-x.y'", 'lib/lamp/on-x.y.rb'],
    ["require('lamp')", 'lib/lamp.rb'],
    ["require  ('lamp')", 'lib/lamp.rb'],
    ['require"lamp.rb"', 'lib/lamp.rb'],
    ['require "lamp.rbx"', 'lib/lamp.rbx.rb'],
    ['  use App::Lamp::On2;', 'lib/App/Lamp/On2.pm'],
    ['use Lamp;', 'lib/Lamp.pm'],
    ['$a = new Lamp();', 'src/Lamp.php'],
    ['$a = new  \\Acme\\Sub\\Lamp  ($x);', 'src/Lamp.php'],
    ['$a = new Acme\\Lamp2(', 'src/Lamp2.php'],
  ])('by %s is %s', (line, path) => {
    expect(load(`x\n${line}`, { [path]: '' })).toEqual([`${path}:1`]);
  });

  it.each<[string, string]>([
    ["# require 'lamp'", 'lib/lamp.rb'],
    ['x use Lamp;', 'lib/Lamp.pm'],
    ['use strict;', 'lib/strict.pm'],
    ['anew Lamp()', 'src/Lamp.php'],
    ['new lamp()', 'src/lamp.php'],
    ["require 'lamp'", 'x/lib/lamp.rb'],
    [`${' '.repeat(300)}use Lamp;`, 'lib/Lamp.pm'],
  ])('is none by %j beside %s', (line, path) => expect(load(line, { [path]: '' })).toEqual([]));

  it('is the last one that is not the script itself', () => {
    const files = { 'lib/a.rb': '', 'lib/b.rb': '' };
    expect(load("require 'a'\nrequire 'b'", files)).toEqual(['lib/b.rb:1']);
    const own = toTree({ 'lib/lamp.rb': "require 'a'\nrequire 'lamp'", 'lib/a.rb': '' });
    expect(findLoadedFile(own, 'lib/lamp.rb').map(({ path }) => path)).toEqual(['lib/a.rb']);
  });

  it('is told of a script of at most sixty lines', () => {
    const files = { 'lib/a.rb': '' };
    expect(load(`require 'a'${'\n'.repeat(59)}`, files)).toEqual(['lib/a.rb:1']);
    expect(load(`require 'a'${'\n'.repeat(60)}`, files)).toEqual([]);
    expect(load('x', files)).toEqual([]);
  });

  it.each<[string, number]>([
    ['module A\n  abstract final class  B', 2],
    ['module A\n  package  B', 2],
    ['x\n  module  A\n  def  b', 2],
    ['x\ndef self.run  x', 2],
    ['x\nsub  run', 2],
    ['x\n  def  run', 2],
    ['x class A\nx module B\nclassy A', 1],
    ['x\nfinal class A', 2],
    ['class  \nclass A', 2],
  ])('is quoted from its class or package on: %j', (text, line) => {
    expect(load("require 'a'", { 'lib/a.rb': text })).toEqual([`lib/a.rb:${line}`]);
  });
});
