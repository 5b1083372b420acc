import { queryOptions } from '@tanstack/react-query';
import { conversationsKeys, readMessages } from './conversations-queries.js';

const SHOWN_CALLS = 3;

/** What the running turn of a conversation did last, and since when it runs where the turn is known. `queued` words wait behind it. */
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
    // Behind the turn's own words stand those that wait: far enough back to reach it.
    queryFn: async () => {
      const page = await readMessages(conv, Math.min(200, queued + 2));
      const turn = page.turns.find((one) => one.turn === running);
      return { calls: page.live?.calls.slice(-SHOWN_CALLS) ?? [], since: turn?.started_at ?? null };
    },
  });
