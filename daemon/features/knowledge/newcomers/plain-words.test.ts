import { describe, expect, it } from 'vitest';
import { plainly } from './plain-words.js';
import { readFeatures } from './question-features.js';
import { classify, softmax } from './question-model.js';

describe('a question in plain words', () => {
  it.each<[string, string]>([
    ['What does Lamp do?', 'what does it do?'],
    ['What does the `lamp`’s server do?', 'what does it do?'],
    ["Is lamp's here", 'is it here'],
    ['the harbour lamp, lamp', 'it, it'],
    ['wick-on, wick_on, wick on, wickon', 'it, it, it, wickon'],
    ['lamp-x x-lamp lamp/x x/lamp lamp( .lamp', 'lamp-x x-lamp § § lamp( .lamp'],
    ['lamp. lamp.on lamp::on lamps', 'it. § § lamps'],
    ['say `bulb on` or ``', 'say § or §'],
    ['a::b a->b a#b a.b a.b() a. b', '§ § § § § a. b'],
    ['a_b x.a_b lampOn LampOn LAMP Lamps', '§ § § § it lamps'],
    ['--dry-run -x x--y --', '§ § x--y --'],
    ['f() f(x) f(x y) src/a.ts a/', '§ § f(x y) § §'],
    ['`main()` main() process.env npm test make', 'main() main() process env npm test make'],
    ['`npm test` `make` `make test` `.env` require(x) require()', 'npm test make make test env require(x) require()'],
    [
      'e2e ci/cd and/or JavaScript TypeScript CoffeeScript GitHub GitLab',
      'e2e ci/cd and/or javascript typescript coffeescript github gitlab',
    ],
    ['`GitHubs` `xmain()`', '§ §'],
    ['the command line tool', 'it'],
    ['this codebase or your code base', 'it or it'],
    ['our repository, that program', 'it, it'],
    ['a library or package', 'a library or package'],
    ['the package manager', 'the package manager'],
    ['it tool, it’s library, it it', 'it, it is library, it'],
    ['“what” "is" tl;dr TL;DR', 'what is tldr tldr'],
    ["What's it, who's that's, there's how's where's x's", "what is it, who is that is, there is how is where is x's"],
    ["we're you've I'll he'd I'm", 'we you i he i'],
    ['  Ä \n b  ', 'a b'],
  ])('%j: %j', (text, plain) => expect(plainly(text, ['lamp', 'harbour lamp', 'wick-on'])).toBe(plain));
});

describe('what the model sees of a question', () => {
  const read = (text: string, names: readonly string[] = []) => [...readFeatures(text, names)];

  it('are its words, pairs, and those of what it asks, with its beginning', () => {
    expect(read('Lamp ran. How is it built?', ['lamp', ''])).toEqual([
      ...['it', 'it ran', 'ran', 'how', 'how is', 'is', 'is it', 'it built', 'built'],
      ...['?how', '?how is', '?how _ it', '?is', '?is it', '?is _ built', '?it', '?it built', '?built'],
      ...['^how', '^how is', '^how is it'],
    ]);
  });

  it('are without endings that hardly change a word', () => {
    for (const [word, stem] of [
      ['running', 'runn'],
      ['tested', 'test'],
      ['boxes', 'box'],
      ['tests', 'test'],
      ['fully', 'ful'],
      ['sing', 'sing'],
      ['used', 'used'],
      ['uses', 'uses'],
      ['is', 'is'],
      ['singer', 'singer'],
    ] as const)
      expect(read(`x ${word}.`)).toContain(`x ${stem}`);
  });

  it('are pieces of long words of what it asks', () => {
    expect(read('lantern. wicked?').filter((one) => one.startsWith('#'))).toEqual(['#wicke', '#icked']);
    expect(read('wicke?').filter((one) => one.startsWith('#'))).toEqual([]);
    expect(read('wicked-lantern').filter((one) => one.startsWith('#'))).toEqual([
      ...['#wicke', '#icked', '#lante', '#anter', '#ntern'],
    ]);
  });

  it('take the last sentence for what it asks, where none has a question mark', () => {
    expect(read('On it. Off it!').filter((one) => one.startsWith('^'))).toEqual(['^off', '^off it']);
    expect(read('On? Off? No.').filter((one) => one.startsWith('^'))).toEqual(['^on', '^off']);
    expect(read('a; b: c').filter((one) => one.startsWith('^'))).toEqual(['^c']);
    expect(read('a.b c').filter((one) => one.startsWith('^'))).toEqual(['^§', '^§ c']);
  });

  it('hold names of the project as `it`, the longest first, and other names as one sign', () => {
    const plain = (text: string, ...names: string[]) => read(`x ${text} y.`, names).filter((one) => !/[?^#]/.test(one));
    expect(plain('lamp on', 'lamp', 'Lamp On')).toEqual(['x', 'x it', 'it', 'it y', 'y']);
    for (const name of ['`lamp on`', 'a::b', 'a->b', 'a#b()', 'a.b.c', 'a_b', 'f()', 'src/a.ts'])
      expect(plain(name)).toEqual(['x', 'x §', '§', '§ y', 'y']);
    expect(plain('a5b, (c)')).toEqual(['x', 'x a', 'a', 'a b', 'b', 'b c', 'c', 'c y', 'y']);
    expect(plain("don't")).toContain("don't");
  });
});

it('probabilities add up to one, and the highest logit is the most probable', () => {
  expect(softmax([0, 0])).toEqual([0.5, 0.5]);
  const [low, high] = softmax([1, 2]) as [number, number];
  expect(low + high).toBeCloseTo(1, 12);
  expect(high / low).toBeCloseTo(Math.E, 12);
  expect(softmax([1_000, 0])).toEqual([1, 0]);
});

it.each([
  ['I want to know which steps I need to build the whole thing from its sources on my machine?', 'build', 0.936],
  ['Which licence is lamp released under?', 'licence', 0.9],
  ['How do I run all of the tests before I send a change?', 'test', 0.7],
  ['What is this all about, and what would I use it for?', 'purpose', 0.5],
])('the model reads %j as one about %s', (text, name, probability) => {
  const found = classify(text, ['lamp']);
  expect(found.name).toBe(name);
  expect(found.probability).toBeGreaterThan(probability - 0.001);
  expect(found.probability).toBeLessThanOrEqual(1);
});

it('the model reads a question without any word that it knows as one about something else', () => {
  expect(classify('zzzz', []).name).toBe('none');
  expect(classify('', []).probability).toBeGreaterThan(0.5);
});
