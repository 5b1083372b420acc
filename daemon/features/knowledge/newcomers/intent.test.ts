import { describe, expect, it } from 'vitest';
import { askedParts } from './asked-parts.js';
import { readIntent } from './intent.js';

const read = (text: string) => {
  const intent = readIntent(text, ['lamp', 'harbour lamp']);
  return intent?.kind === 'task' ? intent.task : intent?.kind;
};

describe('a newcomer’s question in words of its own', () => {
  it.each([
    ...[
      'What does this project do?',
      'what is lamp',
      "What's this repo about?",
      'Give me a one-line description of this project.',
      'In plain words, what is this?',
      'What kind of software is it?',
      'Why would I want to use Lamp?',
      'Sum up the project in a sentence.',
      'tl;dr of this codebase?',
      'Can you tell me what Harbour Lamp is for?',
      'What problem does it solve?',
      'hi! new here, what does the lamp tool actually do?',
      'What is the purpose of this library?',
    ].map((text) => [text, 'purpose'] as const),
    ...[
      'How do I run the tests?',
      'How can I execute the test suite?',
      "what's the test command?",
      'How are unit tests run here?',
      'which command runs the specs?',
      'Is there a way to run the unit tests locally?',
      'I fixed a typo in the docs. How do I run all of the tests before I open a pull request?',
      'run tests how?',
    ].map((text) => [text, 'test'] as const),
    ...[
      'How do I build it from source?',
      'how to compile lamp',
      'What are the build instructions?',
      'Which commands build the project?',
      'How is the binary built?',
      'what do I have to type to compile everything',
      'How do I build the TypeScript sources into dist?',
      'How do I compile the native extension?',
    ].map((text) => [text, 'build'] as const),
    ...[
      'How do I install this from a git checkout?',
      'how can I set up the project?',
      'What are the installation instructions?',
      'How do I install the dependencies?',
    ].map((text) => [text, 'install'] as const),
    ...[
      'Which license?',
      'What licence is lamp released under?',
      'Under which terms may I use this?',
      'Can I use this in a commercial product?',
      'GPL or MIT?',
    ].map((text) => [text, 'licence'] as const),
    ...[
      'Where is the entry point?',
      'What file is loaded first when somebody requires this package?',
      'Which module does a plain import of lamp load?',
      'What is the central class that applications work with?',
      'Where is the default export of the package defined?',
      'When I type lamp in a shell, which file is run?',
      'Which class is the main one of the library?',
      'Which class does an application create to get a beam?',
      'Where does the program start?',
      "what's the main file?",
      'Where is the CLI entrypoint?',
      'What gets executed first when I run lamp?',
      'Which file contains main()?',
      'Which module do users import?',
      'Where should I start reading the code?',
    ].map((text) => [text, 'entry'] as const),
    ...[
      'Which env vars can I set?',
      'what environment variables does it look at?',
      'Any environment variables I should know about?',
      'Can it be configured by environment variables, and by which ones?',
      'list env vars',
    ].map((text) => [text, 'environment'] as const),
    ...['Which version of Node does it need?', 'What is the minimum Python version?'].map(
      (text) => [text, 'versions'] as const,
    ),
  ])('%s', (text, kind) => expect(read(text)).toBe(kind));

  it.each([
    'What does the parser do when a token is missing?',
    'What does it do on SIGTERM?',
    'Which function is called when a connection is closed?',
    'Which module creates the sockets?',
    'Which class requires a password?',
    'Which class does the router create for a request?',
    'How do I run the migration of the ledger in tests?',
    'How do I run the tests of the parser?',
    'How do I build a custom handler?',
    'How do I install a plugin?',
    'Where is the licence header of `lamp.js` checked?',
    'Where is the environment variable LAMP_PORT read?',
    'How does the server start a worker?',
    'What is a harbour?',
    'Why does it crash when I run it twice?',
    'What is this error: cannot open socket?',
    'How are licence keys validated?',
    'What is the first argument of main_loop?',
    'How does it test whether a port is free?',
    'How do I make lamp read a file line by line?',
    'Which environment variable does lamp read to set the colour of the light?',
    'What I write gets lost when the main() function exits before the file is closed, and I see nothing of it ' +
      'at all. How do I write at once, without a wait?',
  ])('and nothing else: %s', (text) => expect(read(text)).toBeUndefined());
});

it('reads what a question about the environment is limited to', () => {
  const scope = (text: string) => {
    const intent = readIntent(text, ['lamp']);
    return intent?.kind === 'environment' ? intent.scope : undefined;
  };
  expect(scope('Which environment variables does the Go code read, tests included?')).toEqual({
    languages: ['go'],
    without: [],
    folders: [],
    includesTests: true,
  });
  expect(scope('Which environment variables are read under src? Leave out the Python scripts.')).toEqual({
    languages: [],
    without: ['python'],
    folders: ['src'],
    includesTests: false,
  });
});

it('reads a question that is nearly all punctuation in time that grows with its length', () => {
  const signs = ';'.repeat(50_000);
  expect(askedParts(`How is it built${signs}x and how is it tested?`)).toEqual(['x and how is it tested']);
});
