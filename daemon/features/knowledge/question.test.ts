import { describe, expect, it } from 'vitest';
import { readQuestion } from './question.js';

describe('the kind of answer wanted', () => {
  it.each([
    ['What is this project?', 'overview'],
    ['What does this project do?', 'overview'],
    ['Give me an overview of the repository', 'overview'],
    ['How do I run the tests?', 'run'],
    ['How do I build it locally?', 'run'],
    ['Where is `findSecret` defined?', 'where'],
    ['Which file parses the headers?', 'where'],
    ['When was src/app.ts last changed?', 'history'],
    ['Who added the retry logic?', 'history'],
    ['What is the default body limit?', 'value'],
    ['How many retries are made?', 'value'],
    ['How can I rotate a token?', 'how'],
    ['What happens on shutdown?', 'what'],
  ])('%s: %s', (text, shape) => expect(readQuestion(text).shape).toBe(shape));
});

describe('its topic', () => {
  const about = (text: string) => readQuestion(text).terms.map((term) => term.written);

  it('leaves out the words that every question has', () =>
    expect(about("What's the thing that doesn't let me rotate tokens?")).toEqual(['rotate', 'tokens']));
  it('takes names as they are written', () => {
    expect(about('Where is bodyLimit set, and `max_param_length`, --dry-run or src/app.ts?')).toEqual([
      'bodyLimit',
      'max_param_length',
      '--dry-run',
      'src/app.ts',
      'set',
    ]);
  });
  it('finds a name however it is spelled', () => {
    const forms = (text: string) => readQuestion(text).terms[0]?.forms.map((form) => form.text);
    expect(forms('maxParamLength')).toEqual(['maxparamlength', 'max param length']);
    expect(forms('max_param_length')).toEqual(['maxparamlength', 'max param length']);
  });
  it('lets no term be met by another of the same question', () => {
    const listen = readQuestion('Which port does it listen on?').terms.find((term) => term.word === 'listen');
    expect(listen?.forms.map((form) => form.text)).not.toContain('port');
  });
  it.each(['', '?!?', '"', '* OR NEAR(', '\u0000\u202e', '-- -- --'])('bears %j', (text) =>
    expect(() => readQuestion(text)).not.toThrow(),
  );
  it('takes __proto__ and constructor for plain words', () =>
    expect(about('what does __proto__ do in a constructor')).toEqual(['__proto__', 'constructor']));
  it('is bounded, however long the question', () => {
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
