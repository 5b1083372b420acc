import { queryOptions } from '@tanstack/react-query';
import { conversationsKeys, readMessages } from '../conversations-queries.js';

const SHOWN_CALLS = 3;

/**
 * The last tool calls of the running turn of a conversation, and its start time if the turn is known. `queued` is the
 * number of messages queued behind it.
 */
export const workQuery = ({
  conv,
  running = null,
  queued = 0,
}: {
  conv: string;
  running?: string | null;
  queued?: number;
}) =>
  queryOptions({
    queryKey: [...conversationsKeys.work(conv), running],
    // Queued messages follow those of the running turn, so the page must be long enough to reach it.
    queryFn: async () => {
      const page = await readMessages(conv, Math.min(200, queued + 2));
      const turn = page.turns.find((one) => one.turn === running);
      return { calls: page.live?.calls.slice(-SHOWN_CALLS) ?? [], since: turn?.started_at ?? null };
    },
  });
