import { describe, expect, it } from 'vitest';
import { readIntent } from './intent.js';
import { matches, type Topic } from './lexicon.js';
import { LEXICONS } from './lexicons.js';

/** The topics whose lexicons match a part of a question, which calls the project `it`. */
const topicsOf = (part: string) => LEXICONS.filter((lexicon) => matches(part, lexicon)).map(({ name }) => name);

describe('a question is about', () => {
  it.each<[Topic, string[]]>([
    [
      'licence',
      [
        ...[
          'which licence',
          'what licenses are there',
          'spdx',
          'is it copyleft',
          'attribution needed',
          'commercial use',
        ],
        ...['is it proprietary', 'closed source', 'may i redistribute it', 'is it really mit', 'are this all bsd'],
        ...['mit or gpl', 'mit, or gpl', 'gpl version', 'open source', 'under what terms', 'publish my modifications'],
        ...['is the spdx zebra relicensed', 'the spdx identifier of the zebra', 'is the zebra copyleft'],
        ...['what licence do the zebras have', 'what is licensed by zebras', 'the zebra licensing', 'zebra licenses'],
      ],
    ],
    [
      'environment',
      [
        ...['which env vars', 'environment variables', 'variables of the env', 'envs', 'getenv', 'process env'],
        ...[
          'env keys',
          'environment settings',
          'set it via env',
          'every env variable',
          'what can i export in my shell',
        ],
        ...['which env vars are read in the zebra', 'where is it which environment variables'],
        ...['when it runs which env vars'],
      ],
    ],
    [
      'entry',
      [
        ...['entry point', 'entrypoints', 'front door', 'main function', 'where is main', 'main()', 'main ()'],
        ...[
          'where does it start',
          'which file do i import',
          'first function',
          'what runs',
          'public api',
          'default export',
        ],
        ...['what does it get for a require', 'startup code', 'the beginning of its run', 'the very start'],
        ...['where is the zebra main()', 'the zebra entry-point', 'the zebra entry points', 'the zebra entrypoint'],
        ...['what runs at the very first zebra', 'the zebra entry -point', 'the zebra entrypoints', 'zebra main ()'],
        ...['which zebras run first', 'where everything starts at a zebra', 'which file of the zebras begin with'],
        ...[
          'where does zebra begin to run',
          'where zebra begins to run first',
          'where the reading order of zebra code starts',
        ],
        ...['where does zebra start executing first', 'where zebra starts executing first'],
        ...['where zebra life begin first', 'where zebra life begins first', 'where the zebra main starts'],
      ],
    ],
    [
      'test',
      [
        ...['run the tests', 'a test', 'testing', 'test suite', 'testsuite', 'test suites', 'specs'],
        ...['everything passes', 'run zebra tests', 'zebra tests are run', 'zebra test suite is started'],
        ...['zebra tests run', 'zebra suite of tests supposed to be executed'],
      ],
    ],
    [
      'build',
      [
        ...['build', 'compile it', 'how is it built', 'binary', 'executable', 'dist', 'jar', 'transpile'],
        ...[
          'build everything zebra',
          'it can be built zebra',
          'built from source by zebra',
          'build by make or cmake zebra',
        ],
        ...['zebra build before make', 'compiles', 'transpiled'],
      ],
    ],
    [
      'install',
      [
        ...[
          'install',
          'setup',
          'set it up',
          'dependencies',
          'get it onto linux',
          'prepare my mac',
          'development on linux',
        ],
        ...['where can i find install packages', 'where could i find install packages', 'installing'],
        ...[
          'install from git by zebra',
          'set it up for zebra development',
          'set it up zebra locally',
          'set it up zebra hack',
        ],
        ...['install it by zebra', 'install the dependencies by zebra', 'install dependencies by zebra'],
        ...['set it up to hacking on zebras', 'set it up and develop zebras', 'install everything by zebra'],
      ],
    ],
    [
      'lint',
      ['lint', 'linting', 'reformat', 'typecheck style', 'type-check', 'format the code', 'format code', 'code style'],
    ],
    ['run', ['run it', 'launch up it', 'start up it', 'serve this', 'is it started']],
    ['versions', ['which version of python', 'node versions', 'msrv']],
    [
      'purpose',
      [
        ...[
          'what does it do',
          'what is it',
          'what it offers',
          'about it',
          'it overview',
          'explain this',
          'its purpose',
        ],
        ...['tldr', 'goals', 'what kind of thing is it', 'what can i do with it', 'why would i use it'],
        ...['what problem does it solve', 'what it actually does', 'is it a daemon, a proxy', 'introduce it'],
      ],
    ],
  ])('its %s', (topic, parts) => {
    expect(parts.filter((part) => !topicsOf(part).includes(topic))).toEqual([]);
  });

  it.each<[Topic, string[]]>([
    [
      'licence',
      [
        ...['how is it here', 'licence keys', 'licence header', 'check the licence'],
        ...['commercial zebra', 'may i redistribute zebras'],
      ],
    ],
    [
      'environment',
      [
        ...['how is it here', 'how are environment variables here', 'why which'],
        ...['environment variable does', 'environment variables of zebras', 'when are env vars set'],
      ],
    ],
    ['entry', ['how is it here', 'entry point test', 'where is the zebra import', 'first zebra class']],
    [
      'test',
      [
        ...['how is it here', 'run zebra', 'why test', 'write a test', 'where is the test', 'tests of zebras'],
        ...['a single test', 'run the tests of zebras'],
      ],
    ],
    [
      'build',
      ['how is it here', 'build zebra', 'why build', 'build failed', 'build fails', 'build fail', 'slow build'],
    ],
    [
      'install',
      [
        ...['how is it here', 'install zebra', 'why install', 'install fails', 'install fail', 'where install'],
        ...['where is install', 'set zebra up locally'],
      ],
    ],
    ['lint', ['how is it here', 'lint zebra', 'why lint']],
    ['run', ['how is it here', 'run it zebra', 'why run it']],
    ['versions', ['how is it here', 'python versions of zebras', 'python']],
    ['purpose', ['how it here', 'what does it do with zebras', 'where is its purpose', 'what happens about it']],
  ])('and not its %s', (topic, parts) => {
    expect(parts.filter((part) => topicsOf(part).includes(topic))).toEqual([]);
  });
});

it('the topics decide in their order', () => {
  expect(LEXICONS.map(({ name }) => name)).toEqual([
    ...['licence', 'environment', 'entry', 'test', 'build', 'install', 'lint', 'run', 'versions', 'purpose'],
  ]);
});

describe('what somebody wants to know', () => {
  const read = (text: string) => readIntent(text, ['lamp']);

  it('is read from a short text', () => {
    const tests = 'How do I run the tests?';
    const pad = (length: number) => `${' '.repeat(length - tests.length)}${tests}`;
    expect(read(pad(400))?.kind).toBe('task');
    expect(read(pad(401))).toBeUndefined();
    expect(read(`${'ok '.repeat(54)}. ${tests}`)?.kind).toBe('task');
    expect(read(`${'ok '.repeat(55)}. ${tests}`)).toBeUndefined();
  });

  it('is what is asked last', () => {
    expect(read('Which licence is it? How do I run the tests?')).toMatchObject({ task: 'test' });
    expect(read('How do I run the tests? Which licence is it?')).toEqual({ kind: 'licence' });
  });

  it('is read from a clause, behind a story', () => {
    expect(read('Having painted zebras, so how do I run the tests')).toMatchObject({ task: 'test' });
    expect(read('Having painted zebras, which licence is it')).toEqual({ kind: 'licence' });
    expect(read('Having painted zebras, how do I build it')).toMatchObject({ task: 'build' });
    expect(read('Having painted zebras, how do I install it')).toMatchObject({ task: 'install' });
    expect(read('Having painted zebras, which env vars are there')?.kind).toBe('environment');
    expect(read('Having painted zebras, what does it do')).toBeUndefined();
  });

  it.each([
    ['How do I build it from source?', true],
    ['How do I build it?', false],
    ['How do I install it from a checkout?', true],
    ['How do I install the dependencies?', true],
  ])('%s: is of a copy of the sources: %s', (text, isFromSource) => expect(read(text)).toMatchObject({ isFromSource }));

  it.each([
    ['What is the entry point?', false],
    ['What is the entry point for users?', true],
    ['Which class do users of it begin with?', true],
    ['What is the public API?', true],
    ['Which file is imported first?', true],
    ['What is the default export?', true],
    ['What is the entry point of the library?', true],
    ['Which file is run when a user types the command?', false],
    ['Which main file does an import of it run?', false],
  ])('%s: is of a user of the library: %s', (text, isLibrary) => {
    expect(read(text)).toEqual({ kind: 'entry', isLibrary });
  });

  it('is a task for each of them', () => {
    for (const [text, task] of [
      ['How do I lint the code?', 'lint'],
      ['How do I run it?', 'run'],
      ['How do I install it?', 'install'],
    ] as const)
      expect(read(text)).toMatchObject({ kind: 'task', task });
  });

  it('is what the model reads, in a longer question', () => {
    const long = 'I want to know which zebra steps I need to build the whole thing from its sources on my machine?';
    expect(read(long)).toMatchObject({ kind: 'task', task: 'build' });
    expect(read('Which zebra steps build the thing on my machine?')).toBeUndefined();
    expect(read(`${long.slice(0, -1)} and why?`)).toBeUndefined();
  });
});
