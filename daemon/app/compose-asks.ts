import { AskStore } from '../features/asks/ask-store.js';
import { Asks } from '../features/asks/asks.js';
import { asksRoutes } from '../features/asks/asks-routes.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

/**
 * Composes the asks that other programs send to exposed members, with their routes. `admit` counts a call of a member
 * from an address, and throws `too_many_requests` beyond the member's limits.
 */
export async function composeAsks(
  { app, bus, clock, database, transactions, identity, wrong }: Core,
  { team, exposure, findExposed, findRunnable }: TeamArea,
  { conversations, messages, runs, answers }: ConversationsArea,
  admit: (member: string, address: string) => void,
): Promise<Asks> {
  const asks = new Asks({
    transactions,
    store: new AskStore(database),
    conversations,
    messages,
    runs,
    bus,
    clock,
    answers,
    signingKey: identity,
    findMember: findExposed,
    findRunnable,
  });
  team.onExposureChanged(async (id, is) =>
    is === 'internal' ? asks.ending.cancelAsksOf(id, 'The member was closed to other programs.') : undefined,
  );
  const { acceptance, ending } = asks;
  await app.register(asksRoutes, {
    ...{ asks, acceptance, ending, exposure, wrong, admit },
    ownPubkey: identity.pubkey,
  });
  return asks;
}
