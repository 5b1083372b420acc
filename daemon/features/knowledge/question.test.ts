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
  ])('for "%s" is %s', (text, shape) => expect(readQuestion(text).shape).toBe(shape));
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
