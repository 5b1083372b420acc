import { expect, it } from 'vitest';
import type { ToolCall } from '../../contract/conversations.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { TurnDisplay } from './turn-display.js';

it.each<[states: ToolCall['state'][], lines: string]>([
  [['running'], '· Read a.ts\n'],
  [['running', 'done'], '· Read a.ts\n'],
  [['done'], '· Read a.ts\n'],
  [['failed'], '✗ Read a.ts\n'],
  [['running', 'failed'], '· Read a.ts\n✗ Read a.ts\n'],
])('a call that is %j is shown once, and again only when it fails', (states, lines) => {
  const { terminal, text } = recordedTerminal();
  const display = new TurnDisplay(terminal);
  for (const state of states)
    display.show({ kind: 'call', turn: 'turn-1', call: { id: 'c1', name: 'Read', target: 'a.ts', state } });
  expect(text).toEqual({ out: '', err: lines });
});

it('calls of one id in two turns are two', () => {
  const { terminal, text } = recordedTerminal();
  const display = new TurnDisplay(terminal);
  for (const turn of ['turn-1', 'turn-2'])
    display.show({ kind: 'call', turn, call: { id: 'c1', name: 'Read', target: 'a.ts', state: 'running' } });
  expect(text.err).toBe('· Read a.ts\n· Read a.ts\n');
});
