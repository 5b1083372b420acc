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
