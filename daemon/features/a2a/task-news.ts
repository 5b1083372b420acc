import type { Bus } from '../../events/bus.js';
import type { Ask } from '../asks/ask-store.js';
import type { Asks } from '../asks/asks.js';

type TaskNews = { kind: 'status'; ask: Ask } | { kind: 'text'; text: string };

export interface TaskNewsParts {
  asks: Pick<Asks, 'getOwn' | 'getPartialText' | 'onChanged'>;
  bus: Pick<Bus, 'watch'>;
}

const isOver = ({ status }: Pick<Ask, 'status'>) => status === 'done' || status === 'error';

/**
 * Yields the progress of a request in order: its current status, the text of its turn so far, then each further piece
 * of text and each status change, until it has ended or `signal` aborts. Throws `not_found`.
 */
export async function* taskNews(
  { asks, bus }: TaskNewsParts,
  member: string,
  requestId: string,
  signal: AbortSignal,
): AsyncGenerator<TaskNews> {
  const first = asks.getOwn(member, requestId);
  const coming: TaskNews[] = [];
  let nextIndex = 0;
  let wake: () => void = () => undefined;
  const tell = (news: TaskNews) => {
    coming.push(news);
    wake();
  };
  const stops = [
    asks.onChanged(({ request_id }) => {
      if (request_id === requestId) tell({ kind: 'status', ask: asks.getOwn(member, requestId) });
    }),
    bus.watch((event) => {
      if (event.type !== 'turn.delta' || event.turn !== first.turn || event.index < nextIndex) return;
      nextIndex = event.index + 1;
      tell({ kind: 'text', text: event.text });
    }),
  ];
  const gone = () => wake();
  signal.addEventListener('abort', gone, { once: true });
  try {
    const partial = asks.getPartialText(first);
    nextIndex = partial?.nextIndex ?? 0;
    yield { kind: 'status', ask: first };
    if (partial && partial.text !== '') yield { kind: 'text', text: partial.text };
    let status = first.status;
    while (!isOver({ status }) && !signal.aborted) {
      const news = coming.shift();
      if (!news) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (coming.length > 0 || signal.aborted) resolve();
        });
        continue;
      }
      if (news.kind === 'status') {
        if (news.ask.status === status) continue;
        status = news.ask.status;
      }
      yield news;
    }
  } finally {
    signal.removeEventListener('abort', gone);
    for (const stop of stops) stop();
  }
}

/**
 * Resolves with the request once it has ended, or as it is when `signal` aborts. A wait for the operator goes on by
 * itself within a minute. Throws `not_found`.
 */
export async function untilSettled(
  parts: TaskNewsParts,
  member: string,
  requestId: string,
  signal: AbortSignal,
): Promise<Ask> {
  let last: Ask | undefined;
  for await (const news of taskNews(parts, member, requestId, signal)) {
    if (news.kind === 'status') last = news.ask;
  }
  return last ?? parts.asks.getOwn(member, requestId);
}
