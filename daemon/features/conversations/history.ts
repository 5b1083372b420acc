import type { Message } from '../../contract/conversations.js';
import type { Turn } from '../clients/client.js';

const BUDGET_CHARS = 48_000;

/** Earlier messages of a conversation for an agent that keeps no session: the newest that fit the budget, oldest first, the turn's own left out. */
export function historyFor(messages: readonly Message[], turn: string): Turn['history'] {
  const kept: { role: 'user' | 'assistant'; text: string }[] = [];
  let left = BUDGET_CHARS;
  for (const message of [...messages].reverse()) {
    if (message.turn === turn || (message.role !== 'user' && message.role !== 'assistant')) continue;
    if (message.text.length > left) break;
    left -= message.text.length;
    kept.unshift({ role: message.role, text: message.text });
  }
  return kept;
}
