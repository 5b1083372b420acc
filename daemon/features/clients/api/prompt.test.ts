import { describe, expect, it } from 'vitest';
import { aTurn } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { Turn } from '../client.js';
import { createPrompt } from './prompt.js';

const user = (text: string) => ({ role: 'user' as const, text });
const assistant = (text: string) => ({ role: 'assistant' as const, text });

describe('the messages of a prompt', () => {
  it.each<[string, Turn['history'], { role: string; content: string }[]]>([
    [
      'turns that failed without an answer',
      [user('A'), user('B')],
      [{ role: 'user', content: 'A\n\nB\n\nWhat is this?' }],
    ],
    [
      'an empty answer',
      [user('A'), assistant(' \n'), user('B'), assistant('C')],
      [
        { role: 'user', content: 'A\n\nB' },
        { role: 'assistant', content: 'C' },
        { role: 'user', content: 'What is this?' },
      ],
    ],
    [
      'two answers in a row',
      [user('A'), assistant('B'), user(''), assistant('C')],
      [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'B\n\nC' },
        { role: 'user', content: 'What is this?' },
      ],
    ],
    ['an answer at first', [assistant('A')], [{ role: 'user', content: 'What is this?' }]],
  ])('alternate between user and assistant after %s', (_what, history, messages) => {
    expect(createPrompt(aTurn({ history })).messages).toEqual(messages);
  });

  it('of another program keep the quotes of each of its questions', () => {
    const { messages } = createPrompt(aTurn({ profile: 'outside', history: [user('A'), user('B')], text: 'C' }));
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    const quotes = [
      ...(messages[0]?.content ?? '').matchAll(/<<<quoted (\w+): [^>]*>>>\n(.*)\n<<<end of quoted \1>>>/g),
    ];
    expect(quotes.map(([, , text]) => text)).toEqual(['A', 'B', 'C']);
    expect(new Set(quotes.map(([, mark]) => mark)).size).toBe(3);
  });
});

describe('the system prompt', () => {
  const system = (setup: Parameters<typeof aTurn>[0]) => createPrompt(aTurn(setup)).system;

  it('is the body of the member, who it is, and the rules', () => {
    const parts = system({}).split('\n\n');
    expect(parts[0]).toBe('You know this project well.');
    expect(parts[1]).toMatch(
      /^You are Consultant, a member of this project's team\.\nHow you work here\. These rules are fixed: /,
    );
    expect(parts).toHaveLength(2);
  });

  it('says in a turn for another program that there is only reading', () => {
    expect(system({ profile: 'outside' }).split('\n\n')[2]).toBe(
      '- This question comes from another program, not from the operator of this project. You can read, search and ' +
        'list, and nothing else; do not offer to do more.',
    );
  });

  it('names the first 50 files to know', () => {
    const refs = Array.from({ length: 51 }, (_, index) => `docs/${index}.md`);
    const named = refs.slice(0, 50).map((ref) => `- ${ref}`);
    expect(system({ refs }).split('\n\n')[2]).toBe(`Files that you should know:\n${named.join('\n')}`);
  });

  it('has no empty part where the member has no body', () => {
    const turn = aTurn({});
    expect(createPrompt({ ...turn, member: { ...turn.member, body: ' \n' } }).system).toMatch(/^You are Consultant/);
  });
});

describe('the history of a prompt', () => {
  it('quotes what another program asked where the operator asks now', () => {
    const history = [{ ...user('Read .env'), from: 'outside' as const }, assistant('B'), user('mine')];
    const contents = createPrompt(aTurn({ history, text: 'Go on' })).messages.map(({ content }) => content);
    expect(contents).toEqual([
      expect.stringMatching(/^<<<quoted \w+: an earlier question of another program>>>\nRead \.env\n<<<end of quoted/),
      'B',
      'mine\n\nGo on',
    ]);
  });

  const contents = (history: Turn['history']) =>
    createPrompt(aTurn({ history })).messages.map(({ content }) => content);

  it('has the newest messages up to 120,000 characters', () => {
    const [old, half] = ['o'.repeat(60_000), 'h'.repeat(60_000)];
    expect(contents([user(old), assistant(half)])).toEqual([old, half, 'What is this?']);
    expect(contents([user(`${old}o`), assistant('x'), user(half)])).toEqual([`${half}\n\nWhat is this?`]);
  });

  it('counts messages of blanks, and leaves them out', () => {
    expect(contents([user('a'), assistant(' '.repeat(120_000)), user('b')])).toEqual(['b\n\nWhat is this?']);
  });

  it('ends before the first message that does not fit, whatever is older', () => {
    expect(contents([user('a'), assistant('x'.repeat(120_001)), user('b')])).toEqual(['b\n\nWhat is this?']);
  });

  it('quotes only what another program asked, not what was answered', () => {
    const history = [user('A'), assistant('B')];
    const [asked, answered] = createPrompt(aTurn({ profile: 'outside', history })).messages;
    expect(asked?.content).toMatch(
      /^<<<quoted (\w{16}): an earlier question of the other program>>>\nA\n<<<end of quoted \1>>>$/,
    );
    expect(answered?.content).toBe('B');
  });
});

describe('the question of a prompt', () => {
  const context_docs = [
    { filename: 'a.md', content: 'One.' },
    { filename: 'b.md', content: 'Two.' },
  ];

  it('comes after its documents, which are quoted', () => {
    const [message] = createPrompt(aTurn({ context_docs })).messages;
    expect(message?.content).toMatch(
      new RegExp(
        '^<<<quoted (\\w{16}): a document that came with the question, named "a.md">>>\nOne\\.\n' +
          '<<<end of quoted \\1>>>\n\n<<<quoted (\\w{16}): a document that came with the question, named "b.md">>>' +
          '\nTwo\\.\n<<<end of quoted \\2>>>\n\nWhat is this\\?$',
      ),
    );
  });

  it('of another program is quoted, and the answer is asked for after it', () => {
    const [message] = createPrompt(aTurn({ profile: 'outside' })).messages;
    expect(message?.content).toMatch(
      /^<<<quoted (\w{16}): the question of the other program>>>\nWhat is this\?\n<<<end of quoted \1>>>\n\nAnswer this question from the project's files\.$/,
    );
  });

  it('has other marks in another turn', () => {
    const turn = aTurn({ profile: 'outside' });
    const mark = (id: string) =>
      /quoted (\w+)/.exec(createPrompt({ ...turn, turn: id }).messages[0]?.content ?? '')?.[1];
    expect(mark('turn-1')).not.toBe(mark('turn-2'));
  });
});
