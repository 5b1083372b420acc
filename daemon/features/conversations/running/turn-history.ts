import type { Message } from '../../../contract/conversations.js';
import type { Turn } from '../../clients/client.js';
import type { ConversationsStore } from '../conversations-store.js';
import type { TurnRow, TurnsStore } from '../turns-store.js';

const BUDGET_CHARS = 48_000;
const MESSAGES_MAX = 200;

/**
 * Returns the history for an agent that keeps no session: the newest messages of `turns` that fit the budget, oldest
 * first, in the order of the turns. A message sent while an earlier turn ran therefore follows that turn's answer.
 */
function fitHistory(messages: readonly Message[], turns: readonly TurnRow[]): Turn['history'] {
  const aMessage = turns.flatMap(({ turn, profile }) =>
    messages.filter((message) => message.turn === turn).map((message) => ({ ...message, profile })),
  );
  const kept: Turn['history'][number][] = [];
  let left = BUDGET_CHARS;
  for (const message of aMessage.reverse()) {
    if (message.role !== 'user' && message.role !== 'assistant') continue;
    if (message.text.length > left) break;
    left -= message.text.length;
    const isFromOutside = message.role === 'user' && message.profile === 'outside';
    kept.unshift({ role: message.role, text: message.text, ...(isFromOutside && { from: 'outside' }) });
  }
  return kept;
}

/**
 * Returns the history of turns that have started before a turn. Queued and dropped ones are excluded, and the
 * operator's turns are hidden from other programs.
 */
export function readHistory(
  stores: { conversations: Pick<ConversationsStore, 'page'>; turns: Pick<TurnsStore, 'listNamed'> },
  { conv, turn, profile }: TurnRow,
): Turn['history'] {
  const messages = stores.conversations.page(conv, undefined, MESSAGES_MAX) ?? [];
  const begun = stores.turns
    .listNamed(conv, new Set(messages.map((message) => message.turn)))
    .filter((one) => one.started_ms !== null && (profile === 'operator' || one.profile === 'outside'));
  return fitHistory(
    messages,
    begun.filter((one) => one.turn !== turn),
  );
}
