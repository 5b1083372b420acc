import type { Message } from '../../contract/conversations.js';
import type { Turn } from '../clients/client.js';

const BUDGET_CHARS = 48_000;

/**
 * Returns the history for an agent that keeps no session: the newest messages of `turns` that fit the budget, oldest
 * first, in the order of the turns. A message sent while an earlier turn ran therefore follows that turn's answer.
 */
export function historyFor(messages: readonly Message[], turns: readonly string[]): Turn['history'] {
  const aMessage = turns.flatMap((turn) => messages.filter((message) => message.turn === turn));
  const kept: { role: 'user' | 'assistant'; text: string }[] = [];
  let left = BUDGET_CHARS;
  for (const message of aMessage.reverse()) {
    if (message.role !== 'user' && message.role !== 'assistant') continue;
    if (message.text.length > left) break;
    left -= message.text.length;
    kept.unshift({ role: message.role, text: message.text });
  }
  return kept;
}
