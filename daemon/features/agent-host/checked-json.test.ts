import { describe, expect, it } from 'vitest';
import { aSkill } from '../../testing/parts/an-agent-spec.js';
import { CachedDocument } from './cached-document.js';
import { checkedInput, checkedOutput } from './checked-json.js';
import { jsonIn } from './json-answer.js';

const FOLDER = {
  ...{ type: 'object', properties: { folder: { type: 'string' } }, required: ['folder'] },
  additionalProperties: false,
};

describe('the input of a call', () => {
  const skill = aSkill({ input_schema: FOLDER });

  it('is what was given, and nothing is an empty object', () => {
    expect(checkedInput(skill, { folder: 'src' })).toEqual({ folder: 'src' });
    for (const nothing of [undefined, null]) expect(checkedInput(aSkill(), nothing)).toEqual({});
  });

  it('that does not fit is refused with its field', () => {
    const check = (input: unknown) => () => checkedInput(skill, input);
    expect(check({ folder: 7 })).toThrow(
      expect.objectContaining({
        ...{ code: 'bad_request', details: { path: 'folder' }, message: expect.stringMatching(/^"folder" .*\.$/) },
      }),
    );
    expect(check({ folder: 'x', more: 1 })).toThrow(
      expect.objectContaining({ code: 'unknown_key', details: { path: 'more', key: 'more' } }),
    );
    expect(check('src')).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        details: { path: '' },
        message: expect.stringMatching(/^The input /),
      }),
    );
  });

  it('is an object, whatever a schema allows', () => {
    const any = { ...aSkill(), checkInput: () => undefined };
    for (const input of [[], 'x', 7])
      expect(() => checkedInput(any, input)).toThrow(
        expect.objectContaining({
          ...{ code: 'bad_request', message: 'The input must be an object.', details: { path: '' } },
        }),
      );
  });
});

describe('the output of a skill', () => {
  it('is what remains of it as JSON', () => {
    expect(checkedOutput(aSkill(), { files: 3, none: undefined, at: new Date(0) })).toEqual({
      ...{ files: 3, at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it.each([
    ['no JSON at all', undefined, 'The skill count failed: its answer is no JSON.'],
    ['a cycle', 10n, 'The skill count failed: its answer is no JSON.'],
    [
      'more than 8 MiB',
      'x'.repeat(8 * 1024 * 1024 - 1),
      'The skill count failed: its answer is larger than 8388608 bytes.',
    ],
    [
      'more than 8 MiB, in fewer characters',
      'é'.repeat(4 * 1024 * 1024),
      'The skill count failed: its answer is larger than 8388608 bytes.',
    ],
  ])('is refused as %s', (_what, output, message) => {
    expect(() => checkedOutput(aSkill(), output)).toThrow(expect.objectContaining({ code: 'overloaded', message }));
  });

  it('may be 8 MiB', () => {
    expect(checkedOutput(aSkill(), 'x'.repeat(8 * 1024 * 1024 - 2))).toHaveLength(8 * 1024 * 1024 - 2);
  });

  it('must fit its schema', () => {
    const skill = aSkill({ output_schema: FOLDER });
    expect(checkedOutput(skill, { folder: 'x' })).toEqual({ folder: 'x' });
    const check = (output: unknown) => () => checkedOutput(skill, output);
    expect(check({ folder: 7 })).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        message: expect.stringMatching(
          /^The skill count failed: its answer does not fit its output schema: "folder" .*\.$/,
        ),
      }),
    );
    expect(check('x')).toThrow(/output schema: it .*\.$/);
  });
});

describe('the JSON in an answer', () => {
  const fits = (value: unknown): boolean => typeof value === 'object' && value !== null && 'n' in value;
  const find = (answer: string, check = fits) => jsonIn(answer, check)?.value;

  it.each([
    ['the whole answer', ' {"n": 1}\n', { n: 1 }],
    ['what is in a fence', 'So:\n```json\n{"n": 1}\n```\nDone.', { n: 1 }],
    ['what is in a fence without a language', '```\n{"n": 1}\n```', { n: 1 }],
    ['what is in a fence of one line', '``` {"n": 1}```', { n: 1 }],
    ['the same in several fences', '```\n{"n":1}\n```\n```json5\n{ "n": 1 }\n```', { n: 1 }],
    ['the one that fits', '```\n{"m":1}\n```\n```\n{"n": 2}\n```\n```\nbroken\n```', { n: 2 }],
    ['the outermost object', 'There are {"n": {"a": 1}} of them.', { n: { a: 1 } }],
    ['nothing of two', '```\n{"n":1}\n```\n```\n{"n":2}\n```', undefined],
    ['nothing that does not fit', '{"m": 1}', undefined],
    ['nothing that does not fit in words', 'It is {"m": 1}.', undefined],
    ['nothing without JSON', 'Three.', undefined],
    ['nothing the wrong way round', '} {', undefined],
    ['nothing that is open', 'It is {"n": 1', undefined],
  ])('is %s', (_what, answer, value) => {
    expect(find(answer)).toEqual(value);
  });

  it('is the outermost list where there is no object', () => {
    expect(find('These: [1, 2].', Array.isArray)).toEqual([1, 2]);
    expect(find('[1] and {"n": 1}', Array.isArray)).toEqual([1]);
    expect(find('These: [] here', Array.isArray)).toEqual([]);
  });

  it('is looked for in the first twenty fences', () => {
    const fences = (count: number) => `${'```\n{"m":1}\n```\n'.repeat(count)}\`\`\`\n{"n":1}\n\`\`\``;
    expect(find(fences(19))).toEqual({ n: 1 });
    expect(find(fences(20))).toBeUndefined();
  });

  it('of a fence needs a language of at most twenty characters', () => {
    expect(find(`\`\`\`${'x'.repeat(20)}\n{"n":1}\n\`\`\` {`)).toEqual({ n: 1 });
    expect(find(`\`\`\`${'x'.repeat(21)}\n{"n":1}\n\`\`\` }`)).toBeUndefined();
  });
});

describe('a served document', () => {
  it('is made once for each basis, as JSON or as it is written', () => {
    let [basis, made] = ['a', 0];
    const document = new CachedDocument<unknown>(
      () => {
        made += 1;
        return made === 2 ? 'two' : { made };
      },
      () => basis,
    );
    const first = document.get();
    expect(document.get()).toBe(first);
    expect([first.value, first.bytes.toString(), first.etag]).toEqual([
      ...[{ made: 1 }, '{"made":1}', expect.stringMatching(/^"[0-9a-f]{32}"$/)],
    ]);
    basis = 'b';
    const second = document.get();
    expect([second.value, second.bytes.toString(), made]).toEqual(['two', 'two', 2]);
    expect(second.etag).not.toBe(first.etag);
  });
});
