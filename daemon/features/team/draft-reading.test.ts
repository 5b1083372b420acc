import { describe, expect, it } from 'vitest';
import { agentTypeFor, isLimit, kindFor, nameFor, removeSubject, splitStatements, toolsFor } from './draft-reading.js';

describe('splitStatements', () => {
  it.each<[string, string[]]>([
    ['one\ntwo', ['one', 'two']],
    ['one \r\n two', ['one', 'two']],
    ['- dash\n* star\n• dot\n+ plus', ['dash', 'star', 'dot', 'plus']],
    ['  - indented\n-   far', ['indented', 'far']],
    ['1. first\n12) twelfth', ['first', 'twelfth']],
    ['# Title\n### Deep', ['Title', 'Deep']],
    ['Subtracts a - b', ['Subtracts a - b']],
    ['-dash without a space', ['-dash without a space']],
    ['Runs it. Says so! Why? "Because." (Done) `x`', ['Runs it.', 'Says so!', 'Why?', '"Because." (Done) `x`']],
    ['One.  Two', ['One.', 'Two']],
    ['Knows v1. 2 and e.g. three', ['Knows v1. 2 and e.g. three']],
    ['读文件。 写摘要', ['读文件。', '写摘要']],
    ['No stop Here', ['No stop Here']],
    ['---\n42\n…\na', ['42', 'a']],
  ])('of %j are %j', (text, statements) => {
    expect(splitStatements(text)).toEqual(statements);
  });
});

describe('a limit', () => {
  it.each([
    'Never edits files',
    'The bot never edits files',
    'It must not edit files',
    'It  must  not edit files',
    'Must not edit files',
    'Only reads',
    'Avoid changes',
    "Doesn't edit files",
  ])('is stated by %j', (statement) => {
    expect(isLimit(statement)).toBe(true);
  });

  it.each([
    'Reviews code and never edits it',
    'Notes what changed',
    'It reviews',
    'Nobody else reviews',
    'My bot never',
  ])('is not stated by %j', (statement) => {
    expect(isLimit(statement)).toBe(false);
  });
});

describe('toolsFor', () => {
  it.each<[string, string[]]>([
    ['Greets people', []],
    ['Edit pages', ['edit']],
    ['Add pages', ['edit']],
    ['Adding pages', ['edit']],
    ['Changes pages', ['edit']],
    ['Run it', ['execute']],
    ['Running it', ['execute']],
    ['Test it', ['execute']],
    ['Ship it', ['execute']],
    ['Look up words', ['web']],
    ['Looks up words', ['web']],
    ['Hand over the rest', ['agent']],
    ['Hands out the rest', ['agent']],
    ['Plan the week', ['todo']],
    ['Planning the week', ['todo']],
    ['Track the week', ['todo']],
    ['Ask people', ['ask']],
    ['Asks people', ['ask']],
    ['Check with people', ['ask']],
    ['Checking with people', ['ask']],
    ['Migrates it', ['edit', 'execute']],
  ])('finds in %j beside reading and searching: %j', (text, tools) => {
    expect(toolsFor(text)).toEqual(['read', 'search', ...tools]);
  });

  it.each<[string, string[]]>([
    ['Never edits, writes or deploys anything', []],
    ['Never edits, yet runs it', ['execute']],
    ['Never edits,yet runs it', ['execute']],
    ['Never edits, and then runs it', ['execute']],
    ['Never edits but runs it', ['execute']],
    ['Never edits. Runs it', ['execute']],
    ['Never edits; runs it', ['execute']],
    ['Never edits\nRuns it', ['execute']],
    ['Reads mail\nRuns it', ['execute']],
    ['Runs it without edits', ['execute']],
  ])('leaves out what follows a negation in its clause: %j', (text, tools) => {
    expect(toolsFor(text)).toEqual(['read', 'search', ...tools]);
  });

  it.each(['A read-only editor of web pages that runs checks', 'Read only: edits web pages and runs checks'])(
    'gives a read-only member no tool that changes anything: %j',
    (text) => {
      expect(toolsFor(text)).toEqual(['read', 'search', 'web']);
    },
  );
});

it.each([
  ['Rollout of the site', 'deploy'],
  ['Knows SQL', 'db'],
  ['Looks for vulnerabilities', 'audit'],
  ['Keeps the licence texts', 'audit'],
  ['Keeps the license texts', 'audit'],
  ['Critique of drafts', 'review'],
  ['Measures coverage', 'testing'],
  ['Orders the backlog', 'roadmap'],
  ['Keeps the readme', 'docs'],
  ['Greets people', 'custom'],
  // The first of the types in this order counts.
  ['Reviews tests before a release', 'deploy'],
  ['Reviews tests', 'review'],
])('the type of %j is %s', (text, type) => {
  expect(agentTypeFor(text)).toBe(type);
});

it.each([
  ['There is only one of it', 'singleton'],
  ['One at a time', 'singleton'],
  ['There is one of it', 'profile'],
])('the kind of %j is %s', (text, kind) => {
  expect(kindFor(text)).toBe(kind);
});

describe('nameFor', () => {
  it.each([
    ['A member called "Night  Owl" that watches', 'Night Owl'],
    ['A member called night_owl that watches', 'Night Owl'],
    ['An agent named Clara', 'Clara'],
    ['An agent named  Clara who writes', 'Clara'],
    ['An agent whose name is R2 D2, which beeps', 'R2 D2'],
    ['An agent named Clara! It writes', 'Clara'],
    ['Its name: “Clara” and it writes', 'Clara'],
    ['An auditor named A/B that audits', 'Auditor'],
  ])('takes the name that %j states: %s', (text, name) => {
    expect(nameFor(text)).toBe(name);
  });

  it.each([
    ['I need a C++ reviewer that reads', 'C++ Reviewer'],
    ['I need an  X.509 certificate auditor now', 'X.509 Certificate Auditor'],
    ['Be our tester today', 'Tester'],
    ['Be our UI-tester today', 'UI-tester'],
    ['Be a very old ship keeper', 'Old Ship Keeper'],
    ['Be an old  ship keeper', 'Old Ship Keeper'],
    ['Be the lamp WITH keys keeper', 'Lamp Keys Keeper'],
    ['Translator of docs', 'Translator'],
    ['Web developer of pages', 'Web Developer'],
    ['Full-stack  developer of pages', 'Full-stack Developer'],
  ])('else the role in %j: %s', (text, name) => {
    expect(nameFor(text)).toBe(name);
  });

  it.each([
    ['Watch the for loops', 'Watch Loops'],
    ['Tidy up all newer logs', 'Tidy Up All'],
    ['Keep 2 change-logs tidy', 'Keep 2 Change-logs'],
    ['Would please the logs be kept', 'Logs Kept'],
    ['THE LOGS', 'LOGS'],
    ['¿¡!?', ''],
  ])('else the first words of %j that tell something: %s', (text, name) => {
    expect(nameFor(text)).toBe(name);
  });

  it('looks for a role in the first 300 characters only', () => {
    expect(nameFor(`${'tidy '.repeat(60)}a reviewer`)).toBe('Tidy Tidy Tidy');
    expect(nameFor(`${'tidy '.repeat(50)}a reviewer`)).toBe('Reviewer');
  });

  it('is at most 60 characters long, without a space at its end', () => {
    expect(nameFor(`${'x'.repeat(59)} second`)).toBe(`X${'x'.repeat(58)}`);
    expect(nameFor('x'.repeat(70))).toBe(`X${'x'.repeat(59)}`);
  });
});

describe('removeSubject', () => {
  it.each([
    ['It should review code', 'Review code'],
    ['it  must  review code', 'Review code'],
    ['You need to review code', 'Review code'],
    ['The member must review code', 'Review code'],
    ['It reviews code', 'Reviews code'],
    ['this agent  reviews code', 'Reviews code'],
    ['It 3 times reviews code', 'It 3 times reviews code'],
    ['Please  review code', 'Review code'],
    ['I want reviews of code', 'Reviews of code'],
    ['We need reviews of code', 'Reviews of code'],
    ['Says what it should review', 'Says what it should review'],
    ['Says what it reviews', 'Says what it reviews'],
    ['Always please callers', 'Always please callers'],
    ['items are reviewed', 'Items are reviewed'],
    ['', ''],
  ])('makes a duty of %j: %s', (statement, duty) => {
    expect(removeSubject(statement)).toBe(duty);
  });
});
