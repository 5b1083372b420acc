import { describe, expect, it } from 'vitest';
import { readQuestion } from './question.js';

describe('the shape of a question', () => {
  it.each([
    ['Where is `findSecret` defined?', 'where'],
    ['Which file parses the headers?', 'where'],
    ['When was src/app.ts last changed?', 'history'],
    ['Who added the retry logic?', 'history'],
    ['What is the default body limit?', 'value'],
    ['How many retries are made?', 'value'],
    ['How can I rotate a token?', 'how'],
    ['What happens on shutdown?', 'what'],
    ['Where was it last changed?', 'history'],
    ['where did they add it', 'where'],
    ['What is the default folder where it is?', 'where'],
    ['How many files are there?', 'value'],
    ['List the limit', 'value'],
    ['list the lamps', 'list'],
    ['how do I list the lamps', 'list'],
    ['CAN I light it', 'how'],
    ['is it possible to light it', 'how'],
    ['what do I light', 'how'],
    ['what should be lit', 'what'],
  ])('for "%s" is %s', (text, shape) => expect(readQuestion(text).shape).toBe(shape));
});

describe('the names in a question', () => {
  const names = (text: string) => readQuestion(text).terms.flatMap((term) => (term.isName ? [term.written] : []));

  it.each<[string, string[]]>([
    ['say `the lamp on` now', ['the lamp on']],
    ['say ` lamp ` now', ['lamp']],
    ['say `lamp\non` now', []],
    [`say \`${'a'.repeat(200)}\` now`, ['a'.repeat(200)]],
    [`say \`${'a'.repeat(201)}\` now`, []],
    ['say `` now', []],
    ['say `*` now', []],
    ['pass --lamp or --dry-run_2 now', ['--lamp', '--dry-run_2']],
    ['pass -- or --Lamp now', []],
    ['call lampOn now', ['lampOn']],
    ['call _lampOn$x or $a_b now', ['_lampOn$x', 'a_b']],
    ['call lamp_on2 or A1_b now', ['lamp_on2', 'A1_b']],
    ['call reply.lamp2.sendAll.now-on now', ['reply.lamp2.sendAll.now-on']],
    ['call a/b:c#lampOn/x.y now', ['a/b:c#lampOn/x.y']],
    ['call LAMP or Lamp or lamp now', []],
    ['open lamp.ts or src/lib-x/my.lamp.py now', ['lamp.ts', 'src/lib-x/my.lamp.py']],
    [
      'open on/a.mjs, b.cts, c.tsx, d.jsx, e.yml, f.htm, g.html, h.gyp, i.gypi now',
      ['on/a.mjs', 'b.cts', 'c.tsx', 'd.jsx', 'e.yml', 'f.htm', 'g.html', 'h.gyp', 'i.gypi'],
    ],
    ['open Makefile.am or .env or Lamp.pdf now', []],
    ['call reply.send or std::fs::read or a1.b2 or on#off now', ['reply.send', 'std::fs::read', 'a1.b2', 'on#off']],
    ['so e.g.this and i.e.that now', []],
    ['call Reply.send or reply.Send now', []],
    ['call lamp() or L2() now', ['lamp()', 'L2()']],
    ['call lamp( ) now', []],
    ['by RFC-7231 or ISO/8601 or UTF-8 now', ['RFC-7231', 'ISO/8601', 'UTF-8']],
    ['by A-1 or x1-2 now', []],
    ['call lampOn and lamp_on now', ['lampOn']],
  ])('%j', (text, found) => expect(names(text)).toEqual(found));

  it.each<[string, string[]]>([
    ['lampOn', ['lampon', 'lamp on']],
    ['`lamp`', ['lamp']],
    ['reply.send', ['replysend', 'reply send', 'send']],
    ['std::read', ['stdread', 'std read', 'read']],
    ['reply#send', ['replysend', 'reply send', 'send']],
    ['reply/sendAll', ['replysendall', 'reply send all']],
    ['reply.on', ['replyon', 'reply on']],
    ['lamp.ts', ['lampts', 'lamp ts']],
    ['lamp.html', ['lamphtml', 'lamp html']],
    ['`lamp.other`', ['lampother', 'lamp other', 'other']],
    ['`a b c d e f g h i j`', ['abcdefgh', 'a b c d e f g h']],
    ['`Ärger_Öl`', ['argerol', 'arger ol']],
  ])('%s may occur as %j', (text, forms) => {
    expect(readQuestion(text).terms[0]?.forms.map((form) => form.text)).toEqual(forms);
  });

  it('weigh less in parts, and least by their last part', () => {
    expect(readQuestion('reply.sendAll').terms[0]).toEqual({
      ...{ written: 'reply.sendAll', word: 'replysendall', isName: true, isCapitalised: false },
      forms: [
        { text: 'replysendall', stems: ['replysendal'], weight: 1 },
        { text: 'reply send all', stems: ['repli', 'send', 'all'], weight: 0.95 },
        { text: 'all', stems: ['all'], weight: 0.6 },
      ],
    });
    expect(readQuestion('`Lamps`').terms[0]).toMatchObject({ written: 'Lamps', word: 'lamps', isCapitalised: false });
  });

  it('are looked for in the first 4,096 characters', () => {
    const behind = (length: number) => `${'x'.repeat(length - 1)} lampOn`;
    expect([names(behind(4_090)), names(behind(4_096))]).toEqual([['lampOn'], []]);
    expect(readQuestion(behind(4_096)).terms.map(({ word }) => word)).toEqual(['lampon']);
  });
});

describe('what a question says literally', () => {
  it.each<[string, string[]]>([
    ['Why is /on/ GONE?', ['/on/']],
    [
      'send application/json, "text/html"; (a.b) {c_d} <e:f> `g+h`',
      ['application/json', 'text/html', 'a.b', 'c_d', 'e:f', 'g+h'],
    ],
    ['listen on 0.0.0.0!?', ['0.0.0.0']],
    ["it's non-blocking, isn\u2019t it...", []],
    ['a. /a ab/ +++ äö/', ['ab/']],
    [`${'a'.repeat(79)}/ ${'b'.repeat(80)}/`, [`${'a'.repeat(79)}/`]],
    ['a/b A/B a/b', ['a/b']],
    ['a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9', ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6', 'a/7', 'a/8']],
    ['?.a', ['?.a']],
    ['a/b.. c', ['a/b']],
  ])('%j', (text, literals) => expect(readQuestion(text).literals).toEqual(literals));
});

describe('the terms of a question', () => {
  const about = (text: string) => readQuestion(text).terms.map((term) => term.written);

  it('omit stop words', () =>
    expect(about("What's the thing that doesn't let me rotate tokens?")).toEqual(['rotate', 'tokens']));
  it('keep code names as written', () => {
    expect(about('Where is bodyLimit set, and `max_param_length`, --dry-run or src/app.ts?')).toEqual([
      'bodyLimit',
      'max_param_length',
      '--dry-run',
      'src/app.ts',
      'set',
    ]);
  });
  it('omit contractions, with either apostrophe', () => {
    const text = "lamp's lamp\u2019s bulbs're wick've beam'll cord'd glow'm shine't";
    expect(about(text)).toEqual(['lamp', 'bulbs', 'wick', 'beam', 'cord', 'glow', 'shine']);
    expect(readQuestion("Lamp'S x'y").said).toEqual(new Set(['lamp', 'x', 'y']));
  });
  it('omit single letters and very long words, and name each word once', () => {
    expect(about('q lamp 7 lamps w2 LAMP')).toEqual(['lamp', '7', 'w2']);
    expect(about(`${'a'.repeat(64)} ${'b'.repeat(65)}`)).toEqual(['a'.repeat(64)]);
    expect(about('lamp `lamp` wick')).toEqual(['lamp', 'wick']);
    expect(about('db lamp lamps')).toEqual(['db', 'lamp']);
    expect(readQuestion('`lamp` lamps').terms.map(({ forms }) => forms[0]?.text)).toEqual(['lamp', 'lamps']);
  });
  it('are words such as `project` only when there is nothing else', () => {
    expect(about('this project')).toEqual(['project']);
    expect(about('project lamp')).toEqual(['lamp']);
    expect(about('project `lamp`')).toEqual(['lamp']);
    expect(about('where is the project implemented')).toEqual(['project', 'implemented']);
    expect(about('how is the lamp implemented')).toEqual(['lamp', 'implemented']);
    expect(about('where is the lamp implemented')).toEqual(['lamp']);
  });
  it('are at most 24 of the first 400 words', () => {
    const words = Array.from({ length: 30 }, (_, index) => `lamp${index}`);
    expect(about(words.join(' '))).toEqual(words.slice(0, 24));
    const at = (count: number) => about(`${'the '.repeat(count)}lamp`);
    expect([at(399), at(400)]).toEqual([['lamp'], []]);
    expect(readQuestion(`${'the '.repeat(400)}lamp`).said).toEqual(new Set(['the']));
    expect(readQuestion(`${' '.repeat(16_380)}lamp wick`).said).toEqual(new Set(['lamp']));
  });
  it('say how languages are called in folders', () => {
    expect(about('where is C# or c++ or C++11 here')).toEqual(['csharp', 'cpp', '11']);
    expect(about('where is abc# or xc++ here')).not.toContain('csharp');
  });
  it('have related words at half the weight, at most ten forms, unless there is a name', () => {
    const forms = (text: string) =>
      readQuestion(text)
        .terms.at(-1)
        ?.forms.map(({ text: one, weight }) => [one, weight]);
    expect(forms('lamp remove')).toEqual([
      ['remove', 1],
      ...['delete', 'unlink', 'drop', 'erase', 'clear', 'destroy', 'clean'].map((one) => [one, 0.5]),
    ]);
    expect(forms('`lamp` remove')).toEqual([['remove', 1]]);
    expect(forms('limit')).toHaveLength(10);
    expect(forms('configure')?.filter(([one]) => String(one).startsWith('config'))).toHaveLength(2);
    expect(readQuestion('delete remove').terms.map((term) => term.forms.map(({ text }) => text))).toEqual([
      ['delete', 'unlink', 'drop', 'erase', 'clear', 'destroy', 'clean'],
      ['remove', 'unlink', 'drop', 'erase', 'clear', 'destroy', 'clean'],
    ]);
  });
  it('have a capital behind a word or a mark, in a bracket or quotes', () => {
    const names = (text: string) => readQuestion(text).terms.flatMap((one) => (one.isCapitalised ? [one.written] : []));
    expect(
      names('the lamps that are sent to me by any one of 5 Kafka; Redis) Mongo "Nginx \'Etcd (Consul. Vault'),
    ).toEqual([...['kafka', 'redis', 'mongo', 'nginx', 'etcd', 'consul']]);
    expect(names('lamp  Kafka')).toEqual([]);
    expect(names('a lamp B')).toEqual([]);
    expect(names('send it to Été')).toEqual(['ete']);
    expect(names('bulb Wick')).toEqual(['wick']);
    expect(names('Bulb Wick Cord glow')).toEqual(['wick', 'cord']);
    expect(names('Bulb Wick Cord Beam glow')).toEqual([]);
  });
  it('omit who said where it is, and call languages as folders are called', () => {
    expect(about('The README says it supports beams in C++. Where is that?')).toEqual(['supports', 'beams', 'cpp']);
    expect(about('Which C++ compilers are supported?')).not.toContain('cpp');
  });
  it('tell names, which have a capital inside a sentence, from other words', () => {
    const names = (text: string) => readQuestion(text).terms.flatMap((one) => (one.isCapitalised ? [one.written] : []));
    expect(names('Send it to Kafka, or (Redis). Lamps use YAML')).toEqual(['kafka', 'redis', 'yaml']);
    expect(names('HOW DO I SEND LAMPS TO KAFKA')).toEqual([]);
    expect(names('Lamp Sends Nothing To Kafka')).toEqual([]);
  });
  it('match a code name in every spelling', () => {
    const forms = (text: string) => readQuestion(text).terms[0]?.forms.map((form) => form.text);
    expect(forms('maxParamLength')).toEqual(['maxparamlength', 'max param length']);
    expect(forms('max_param_length')).toEqual(['maxparamlength', 'max param length']);
  });
  it('do not include another term of the same question as a related word', () => {
    const listen = readQuestion('Which port does it listen on?').terms.find((term) => term.word === 'listen');
    expect(listen?.forms.map((form) => form.text)).not.toContain('port');
  });
  it.each(['', '?!?', '"', '* OR NEAR(', '\u0000\u202e', '-- -- --'])('can be read from %j without an error', (text) =>
    expect(() => readQuestion(text)).not.toThrow(),
  );
  it('treat __proto__ and constructor as plain words', () =>
    expect(about('what does __proto__ do in a constructor')).toEqual(['__proto__', 'constructor']));
  it('are bounded in number and time for a question of any length', () => {
    const started = performance.now();
    expect(readQuestion('loader configuration '.repeat(800)).terms).toHaveLength(2);
    expect(
      readQuestion(Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ')).terms.length,
    ).toBeLessThanOrEqual(24);
    for (const text of [
      'a.'.repeat(8_192),
      '`'.repeat(16_384),
      'aA'.repeat(8_192),
      '_a'.repeat(8_192),
      '--a-'.repeat(4_096),
      'a/'.repeat(8_192),
      'a::'.repeat(5_461),
    ])
      readQuestion(text);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
