import {
  NETWORK_ASKS_KEPT,
  NETWORK_ASKS_LIVE_MAX,
  type NetworkAgent,
  type NetworkAsk,
  type NetworkAskBody,
  type NetworkPollQuery,
} from '../../../contract/shared/network-asks.js';
import { KeyedWaiters } from '../../../lib/async/keyed-waiters.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import { ColleagueAsk, type ColleagueAskParts } from './colleague-ask.js';

/** The asks that this daemon sent to members of others. They are in memory only. */
export class ColleagueAsks {
  private readonly asks = new Map<string, ColleagueAsk>();
  private readonly waiters: KeyedWaiters;

  constructor(private readonly clock: Clock) {
    this.waiters = new KeyedWaiters(clock);
  }

  /** Sends a question to a member. Throws `limit_reached` while too many are under way. */
  ask(parts: Omit<ColleagueAskParts, 'onChanged'>, agent: NetworkAgent, { text, session }: NetworkAskBody): NetworkAsk {
    const live = [...this.asks.values()].filter(({ isOver }) => !isOver).length;
    if (live >= NETWORK_ASKS_LIVE_MAX)
      throw new MeshError(
        'limit_reached',
        `${NETWORK_ASKS_LIVE_MAX} asks of other daemons are under way: wait for one to end, or cancel one.`,
      );
    const ask = new ColleagueAsk({ ...parts, onChanged: (id) => this.waiters.wake(id) }, agent, { text, session });
    this.asks.set(ask.id, ask);
    this.forgetOldest();
    ask.send();
    return ask.view();
  }

  /**
   * Returns an ask once it has ended, its text is longer than `seen`, or `wait` seconds have passed. Throws
   * `not_found`.
   */
  async poll(id: string, { wait = 0, seen }: NetworkPollQuery, signal: AbortSignal): Promise<NetworkAsk> {
    const { clock } = this;
    const until = clock.elapsed() + wait * 1_000;
    const isNews = ({ status, text_so_far }: NetworkAsk) =>
      status === 'done' || status === 'error' || (seen !== undefined && (text_so_far?.length ?? 0) > seen);
    while (clock.elapsed() < until && !signal.aborted && !isNews(this.find(id).view()))
      await this.waiters.until(id, (until - clock.elapsed()) / 1_000, signal);
    return this.find(id).view();
  }

  /** Throws `not_found`. */
  cancel(id: string): NetworkAsk {
    const ask = this.find(id);
    ask.cancel();
    return ask.view();
  }

  /** Ends what is under way, because the connection that it came by is gone. */
  failAll(error: MeshError): void {
    for (const ask of this.asks.values()) ask.fail(error);
  }

  private find(id: string): ColleagueAsk {
    const ask = this.asks.get(id);
    if (ask) return ask;
    throw new MeshError(
      'not_found',
      'There is no such ask: they are kept in memory, and gone when the daemon restarts.',
    );
  }

  private forgetOldest(): void {
    for (const [id, { isOver }] of this.asks) {
      if (this.asks.size <= NETWORK_ASKS_KEPT) return;
      if (isOver) this.asks.delete(id);
    }
  }
}
