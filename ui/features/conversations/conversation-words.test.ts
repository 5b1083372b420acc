import { describe, expect, it } from 'vitest';
import type { Conversation, Turn } from '../../../daemon/contract/conversations.js';
import { sendsOn } from './composer-keys.js';
import {
  callWords,
  decisionOfKey,
  droppedWords,
  endingWords,
  isTakenBack,
  resolvedWords,
  standingWord,
  totalUsage,
  usageWords,
  waitWords,
} from './conversation-words.js';

const plain = { metaKey: false, ctrlKey: false, altKey: false };

describe('conversations in words', () => {
  it('says how one stands', () => {
    const quiet = { running: null, permissions: [], queued: 0, last_outcome: null } as unknown as Conversation;
    expect(standingWord(quiet)).toBeUndefined();
    expect(standingWord({ ...quiet, last_outcome: 'cancelled' })).toBe('stopped');
    expect(standingWord({ ...quiet, last_outcome: 'deadline' })).toBe('failed');
    expect(standingWord({ ...quiet, running: 't1', last_outcome: 'answered' })).toBe('working');
    expect(standingWord({ ...quiet, running: 't1', permissions: [{} as never] })).toBe('needs you');
  });

  it('says why a turn ended, and nothing of an answer', () => {
    expect(endingWords({ outcome: 'answered', reason: null })).toBe('');
    expect(endingWords({ outcome: 'deadline', reason: 'No answer within the limit of 5 min.' })).toBe(
      'No answer within the limit of 5 min.',
    );
    expect(endingWords({ outcome: 'needs_permission', reason: null })).toBe('A permission was not granted.');
  });

  it('tells a message that was taken back from a turn that was stopped', () => {
    expect(isTakenBack({ outcome: 'cancelled', started_at: null })).toBe(true);
    expect(isTakenBack({ outcome: 'cancelled', started_at: '2026-11-21T12:00:00.000Z' })).toBe(false);
    expect(isTakenBack({ outcome: 'failed', started_at: null })).toBe(false);
  });

  it('names a tool, what it was about and how long it took', () => {
    expect(callWords({ id: '1', name: 'read', target: 'src/x.ts:40-72', state: 'done', ms: 12 })).toBe(
      'read src/x.ts:40-72 · 12 ms',
    );
    expect(callWords({ id: '1', name: 'bash', target: 'npm test', state: 'running' })).toBe('bash npm test');
    expect(callWords({ id: '1', name: 'todo', target: '', state: 'done' })).toBe('todo');
  });

  it('says only what was reported as used', () => {
    expect(usageWords({ input_tokens: 1_204, output_tokens: 310, cost_usd: 0.0123 })).toBe(
      '1,204 tokens in, 310 out, $0.0123',
    );
    expect(usageWords({ output_tokens: 310 })).toBe('310 tokens out');
    expect(totalUsage([{ usage: null } as Turn])).toBeUndefined();
    expect(
      totalUsage([{ usage: { input_tokens: 2 } }, { usage: { input_tokens: 3, output_tokens: 1 } }] as Turn[]),
    ).toEqual({
      input_tokens: 5,
      output_tokens: 1,
    });
  });

  it('counts places that were left out', () => {
    expect(droppedWords(1)).toContain('1 reference ');
    expect(droppedWords(3)).toContain('3 references ');
  });

  it('shows what something comes to only where it differs', () => {
    expect(resolvedWords('auto', 'builtin')).toBe('auto → builtin');
    expect(resolvedWords(null, 'builtin')).toBe('builtin');
    expect(resolvedWords('builtin', 'builtin')).toBe('builtin');
  });

  it('says how long a question still waits', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(waitWords('2026-11-21T12:59:30Z', now)).toBe('Denied in 59 min 30 s unless you answer.');
    expect(waitWords('2026-11-21T11:59:59Z', now)).toBe('Expired: denied.');
  });
});

describe('keys', () => {
  it('answers a question with 1, 2 and 3 and nothing else', () => {
    expect(['1', '2', '3', '4', 'Enter'].map((key) => decisionOfKey({ key, ...plain }))).toEqual([
      'allow_once',
      'allow_always',
      'deny',
      undefined,
      undefined,
    ]);
    expect(decisionOfKey({ key: '1', ...plain, ctrlKey: true })).toBeUndefined();
  });

  it('sends on Enter alone where that is wanted, with Ctrl always, and never while a word is composed', () => {
    const enter = { key: 'Enter', shiftKey: false, ...plain, isComposing: false, enterSends: true };
    expect(sendsOn(enter)).toBe(true);
    expect(sendsOn({ ...enter, shiftKey: true })).toBe(false);
    expect(sendsOn({ ...enter, isComposing: true })).toBe(false);
    expect(sendsOn({ ...enter, enterSends: false })).toBe(false);
    expect(sendsOn({ ...enter, enterSends: false, ctrlKey: true })).toBe(true);
    expect(sendsOn({ ...enter, enterSends: false, metaKey: true })).toBe(true);
  });
});
