import { describe, expect, it } from 'vitest';
import { FRONTMATTER_ORDER } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { findMistake, readMember, shorten, withDefaults } from './member-file.js';

const DEFAULTS = {
  id: 'api-guide',
  name: 'Api Guide',
  description: '',
  kind: 'profile',
  required: false,
  agent_type: 'custom',
  client: 'auto',
  model: 'strongest',
  effort: 'default',
  exposure: 'internal',
  pinned_order: 50,
  limits: { turns: 30, minutes: 10 },
};

describe('readMember', () => {
  const conflict = '<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n';

  it.each([
    [`a\n${conflict}`, 2],
    [`---\nname: Ada\n---\n\na\n${conflict}d\n`, 6],
    [`a\r\n${conflict.replaceAll('\n', '\r\n')}`, 2],
    [`a\n<<<<<<< a\n\n${conflict}`, 4],
  ])('reports a merge conflict in the prompt: %#', (text, line) => {
    expect(readMember('ada', text)).toEqual({ line, column: 1, reason: 'The file holds a merge conflict.' });
  });

  it.each([
    'A heading\n=======\n\nText.\n',
    `Marks:\n\n\`\`\`\n${conflict}\`\`\`\n`,
    '>>>>>>> a\n=======\n<<<<<<< b\n',
    'Write <<<<<<< HEAD\n=======\n>>>>>>> topic\n',
  ])('takes no other text for a conflict: %j', (text) => {
    expect(readMember('ada', text)).toMatchObject({ id: 'ada' });
  });

  it.each(['', ' \n\t\n', '\uFEFF'])('reports a file without text as empty: %j', (text) => {
    expect(readMember('ada', text)).toEqual({ line: 1, column: 1, reason: 'The file is empty.' });
  });

  it.each([
    ['\n---\ntools: [read]\n---\n', 2],
    ['\uFEFF \r\n\t\r\n---\r\nkind: singleton\r\n---\r\nBody', 3],
    ['<!-- Copyright - Ada\n -- -->\n\n---\nname: Ada\n---\n', 4],
    ['<<<<<<< HEAD\r\n---\r\nname: Ada\r\n---\r\n', 2],
  ])('reports a frontmatter that does not begin the file, whose keys would not count: %j', (text, line) => {
    const reason = 'The frontmatter must begin on the first line.';
    expect(readMember('ada', text)).toEqual({ line, column: 1, reason });
  });

  it.each(['\n---\n\nA rule, and nothing else.\n', '# Ada\n---\nname: Ada\n---\n', '\n--- \n- a: b\n'])(
    'takes a body with a rule for a body: %j',
    (text) => expect(readMember('ada', text)).toMatchObject({ body: text, name: 'Ada' }),
  );

  it('returns the keys, the body as it stands, the keys that are unknown, and the digest of the text', () => {
    const text =
      '---\nname: Ada\nmodel:\nx-own: 1\norigin: {format: x}\nvendor: 3\ncommand:\n---\n\nYou are Ada.\n\nMore.\n';
    expect(readMember('ada', text)).toEqual({
      ...DEFAULTS,
      ...{ id: 'ada', name: 'Ada', description: 'You are Ada.', origin: { format: 'x' } },
      body: 'You are Ada.\n\nMore.\n',
      unknown_keys: ['x-own', 'command'],
      revision: sha256Hex(text),
    });
  });

  it('takes a key without a value for absent', () => {
    const empty = FRONTMATTER_ORDER.map((key) => `${key}:\n`).join('');
    expect(readMember('api-guide', `---\n${empty}---\n`)).toMatchObject({ ...DEFAULTS, unknown_keys: [] });
  });
});

it('has the own local network as solana:local where its file names it by its genesis, and no other', () => {
  const own = 'solana:local-0a0a0a0a';
  const row = (network: string) => ({ unit: 'request', amount: 5, currency: 'lamports', network });
  const text = (network: string) =>
    `---\n${JSON.stringify({
      ...{ pricing: row(network), payment: { modes: ['x402'], network } },
      skills: [{ id: 'paint', pricing: [row(network)] }],
    })}\n---\n\nPay me in ${network}.\n`;
  const read = (network: string) => readMember('ada', text(network), () => own);
  expect(read(own)).toMatchObject({
    ...{ pricing: row('solana:local'), payment: { network: 'solana:local' }, body: `Pay me in ${own}.\n` },
    ...{ skills: [{ pricing: [row('solana:local')] }], revision: sha256Hex(text(own)) },
  });
  expect(read('solana:local-0b0b0b0b')).toMatchObject({ pricing: row('solana:local-0b0b0b0b') });
});

describe('withDefaults', () => {
  it('gives every key that is not given its default, and no key beside', () => {
    expect(withDefaults('api-guide', {}, '')).toStrictEqual(DEFAULTS);
  });

  it('keeps every key that is given', () => {
    const given = {
      name: 'Ada',
      description: 'Hers.',
      kind: 'singleton',
      required: true,
      agent_type: 'db',
      client: 'acp',
      model: 'opus',
      effort: 'low',
      exposure: 'external',
      pinned_order: 0,
      limits: { turns: 1, minutes: 2 },
      color: 'red',
      tools: ['read'],
    } as const;
    expect(withDefaults('ada', { ...given, tools: [...given.tools] }, 'Another.')).toStrictEqual({
      id: 'ada',
      ...given,
    });
  });

  it('completes limits of which one is given', () => {
    expect(withDefaults('ada', { limits: { turns: 3 } }, '').limits).toEqual({ turns: 3, minutes: 10 });
    expect(withDefaults('ada', { limits: { minutes: 3 } }, '').limits).toEqual({ turns: 30, minutes: 3 });
  });

  it.each([
    ['One\nof  two lines.\n\nSecond.', 'One of two lines.'],
    ['One\r\nof two lines.\r\n\r\nSecond.', 'One of two lines.'],
    ['First.\n \t \nSecond.', 'First.'],
    ['First.\n\nSecond.', 'First.'],
    ['  First.  \n', 'First.'],
    ['# Title\n\n## Deep\nFirst.\n\nSecond.', 'First.'],
    ['## Title\r\nFirst.', 'First.'],
    ['#tag first.', '#tag first.'],
    ['See # one.', 'See # one.'],
    ['# Title\n\n\n\n', ''],
    ['\n\n\n\nFirst.', 'First.'],
  ])('describes a member by the first paragraph after headings: %j', (body, description) => {
    expect(withDefaults('ada', {}, body).description).toBe(description);
  });

  it('shortens such a paragraph to 400 characters', () => {
    expect(withDefaults('ada', {}, 'x'.repeat(400)).description).toBe('x'.repeat(400));
    expect(withDefaults('ada', {}, 'x'.repeat(401)).description).toBe(`${'x'.repeat(399)}…`);
  });
});

it.each([
  ['abcd', 4, 'abcd'],
  ['abcde', 4, 'abc…'],
  ['🦉🦉🦉', 3, '🦉🦉🦉'],
  ['🦉🦉🦉🦉', 3, '🦉🦉…'],
  // At a space in the second half, else within the word.
  ['abcde fghij', 8, 'abcde…'],
  ['abcd efghijk', 8, 'abcd ef…'],
  ['abcdefg hij', 8, 'abcdefg…'],
])('shorten %j to %i characters: %s', (text, max, short) => {
  expect(shorten(text, max)).toBe(short);
});

describe('findMistake', () => {
  it.each<[Record<string, unknown>, string[], string]>([
    [{ kind: 'boss' }, ['kind'], '`kind` must be one of singleton, profile.'],
    [{ limits: { hours: 1 } }, ['limits', 'hours'], '`limits.hours` is not a key that belongs there.'],
    [{ limits: { turns: 0 } }, ['limits', 'turns'], '`limits.turns` must be >= 1.'],
    [{ contact: { 'a/b~1': '' } }, ['contact', 'a/b~1'], '`contact.a/b~1` must not have fewer than 1 characters.'],
    [{ name: ' ' }, ['name'], '`name` must not be empty.'],
    [{ name: 'Ada', model: '\t' }, ['model'], '`model` must not be empty.'],
    [{ required: true }, ['required'], '`required` goes only with `kind: singleton`.'],
    [{ required: true, kind: 'profile' }, ['required'], '`required` goes only with `kind: singleton`.'],
  ])('names the key and what is wrong with it: %j', (keys, path, reason) => {
    expect(findMistake(keys)).toEqual({ path, reason });
  });

  it('reports what contains itself, since it could be sent to nobody', () => {
    const payment: Record<string, unknown> = {};
    payment['more'] = payment;
    const reason = (key: string) => `\`${key}\` leads back into itself: an alias must not stand within its own anchor.`;
    expect(findMistake({ payment })).toEqual({ path: ['payment'], reason: reason('payment') });
    expect(findMistake({ skills: [payment] })).toEqual({ path: ['skills'], reason: reason('skills') });
  });

  it('finds none in good keys', () => {
    expect(findMistake({})).toBeUndefined();
    expect(findMistake({ required: true, kind: 'singleton', name: 'Ada', model: 'opus' })).toBeUndefined();
    expect(findMistake({ required: false, kind: 'profile', payment: {}, skills: [{}] })).toBeUndefined();
  });
});
