import { describe, expect, it } from 'vitest';
import type { Conversation, Turn } from '../../../daemon/contract/conversations.js';
import { sendsOn } from './composer/composer-keys.js';
import {
  decisionOfKey,
  formatCall,
  formatDropped,
  formatEnding,
  formatResolved,
  formatUsage,
  formatWait,
  getConversationStatus,
  totalUsage,
  wasWithdrawn,
} from './conversation-format.js';

const plain = { metaKey: false, ctrlKey: false, altKey: false };

describe('conversation texts', () => {
  it('return the state of a conversation', () => {
    const quiet = { running: null, permissions: [], queued: 0, last_outcome: null } as unknown as Conversation;
    expect(getConversationStatus(quiet)).toBeUndefined();
    expect(getConversationStatus({ ...quiet, last_outcome: 'cancelled' })).toBe('stopped');
    expect(getConversationStatus({ ...quiet, last_outcome: 'deadline' })).toBe('failed');
    expect(getConversationStatus({ ...quiet, running: 't1', last_outcome: 'answered' })).toBe('working');
    expect(getConversationStatus({ ...quiet, running: 't1', permissions: [{} as never] })).toBe('needs you');
  });

  it('return why a turn ended, and nothing for an answered one', () => {
    expect(formatEnding({ outcome: 'answered', reason: null })).toBe('');
    expect(formatEnding({ outcome: 'deadline', reason: 'No answer within the limit of 5 min.' })).toBe(
      'No answer within the limit of 5 min.',
    );
    expect(formatEnding({ outcome: 'needs_permission', reason: null })).toBe('A permission was not granted.');
  });

  it('distinguish a removed message from a stopped turn', () => {
    expect(wasWithdrawn({ outcome: 'cancelled', started_at: null })).toBe(true);
    expect(wasWithdrawn({ outcome: 'cancelled', started_at: '2026-11-21T12:00:00.000Z' })).toBe(false);
    expect(wasWithdrawn({ outcome: 'failed', started_at: null })).toBe(false);
  });

  it('describe a tool call by name, target and duration', () => {
    expect(formatCall({ id: '1', name: 'read', target: 'src/x.ts:40-72', state: 'done', ms: 12 })).toBe(
      'read src/x.ts:40-72 · 12 ms',
    );
    expect(formatCall({ id: '1', name: 'bash', target: 'npm test', state: 'running' })).toBe('bash npm test');
    expect(formatCall({ id: '1', name: 'todo', target: '', state: 'done' })).toBe('todo');
  });

  it('contain only the usage that was reported', () => {
    expect(formatUsage({ input_tokens: 1_204, output_tokens: 310, cost_usd: 0.0123 })).toBe(
      '1,204 tokens in, 310 out, $0.0123',
    );
    expect(formatUsage({ output_tokens: 310 })).toBe('310 tokens out');
    expect(totalUsage([{ usage: null } as Turn])).toBeUndefined();
    expect(
      totalUsage([{ usage: { input_tokens: 2 } }, { usage: { input_tokens: 3, output_tokens: 1 } }] as Turn[]),
    ).toEqual({
      input_tokens: 5,
      output_tokens: 1,
    });
  });

  it('count dropped references', () => {
    expect(formatDropped(1)).toContain('1 reference ');
    expect(formatDropped(3)).toContain('3 references ');
  });

  it('show what a setting resolves to only when it differs', () => {
    expect(formatResolved('auto', 'builtin')).toBe('auto → builtin');
    expect(formatResolved(null, 'builtin')).toBe('builtin');
    expect(formatResolved('builtin', 'builtin')).toBe('builtin');
  });

  it('return the remaining time of a permission', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(formatWait('2026-11-21T12:59:30Z', now)).toBe('Denied in 59 min 30 s unless you answer.');
    expect(formatWait('2026-11-21T11:59:59Z', now)).toBe('Expired: denied.');
  });
});

describe('keys', () => {
  it('decide a permission with 1, 2 and 3 only', () => {
    expect(['1', '2', '3', '4', 'Enter'].map((key) => decisionOfKey({ key, ...plain }))).toEqual([
      'allow_once',
      'allow_always',
      'deny',
      undefined,
      undefined,
    ]);
    expect(decisionOfKey({ key: '1', ...plain, ctrlKey: true })).toBeUndefined();
  });

  it('send on Enter when enabled, with Ctrl or ⌘ always, and never during IME composition', () => {
    const enter = { key: 'Enter', shiftKey: false, ...plain, isComposing: false, keyCode: 13 };
    expect(sendsOn(enter, true)).toBe(true);
    expect(sendsOn({ ...enter, shiftKey: true }, true)).toBe(false);
    expect(sendsOn({ ...enter, isComposing: true }, true)).toBe(false);
    // The key that ends a composition in Safari.
    expect(sendsOn({ ...enter, keyCode: 229 }, true)).toBe(false);
    expect(sendsOn(enter, false)).toBe(false);
    expect(sendsOn({ ...enter, ctrlKey: true }, false)).toBe(true);
    expect(sendsOn({ ...enter, metaKey: true }, false)).toBe(true);
  });
});
