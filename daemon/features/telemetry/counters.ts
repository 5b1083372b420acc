import type { Outcome } from '../../contract/conversations.js';
import { CALLER_TESTS, CALLER_YOU, USAGE_OTHERS } from '../../contract/usage.js';
import type { AnsweredRequest } from '../../http/create-server.js';
import type { TurnUsage } from '../usage/usage-store.js';
import type { Distribution, MetricsText } from './metrics-text.js';

/** Members that are counted separately. */
const MEMBERS_MAX = 200;
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Sums by the values of a few labels. */
class LabelledSums<Label extends string> {
  private readonly sums = new Map<string, { labels: Record<Label, string>; value: number }>();

  add(labels: Record<Label, string>, value: number): void {
    const key = JSON.stringify(labels);
    const known = this.sums.get(key);
    if (known) known.value += value;
    else this.sums.set(key, { labels, value });
  }

  get samples(): { labels: Record<Label, string>; value: number }[] {
    return [...this.sums.values()];
  }
}

interface Latency {
  counts: number[];
  sum: number;
}

/** Counters since the daemon started, each of them an addition in memory. */
export class Counters {
  private readonly requests = new Map<string, number>();
  private readonly latencies = new Map<string, Latency>();
  private readonly asks = new LabelledSums<'member' | 'kind' | 'from'>();
  private readonly tokens = new LabelledSums<'member' | 'type'>();
  private readonly costs = new LabelledSums<'member'>();
  private readonly turns = new LabelledSums<'outcome'>();
  private readonly members = new Set<string>();

  countRequest({ method, area = 'none', status, ms }: AnsweredRequest): void {
    const key = `${area}\n${METHODS.has(method) ? method : 'other'}\n${status}`;
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
    let latency = this.latencies.get(area);
    if (!latency) {
      latency = { counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
      this.latencies.set(area, latency);
    }
    const seconds = ms / 1_000;
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? BOUNDS.length : at;
    latency.counts[bucket] = (latency.counts[bucket] ?? 0) + 1;
    latency.sum += seconds;
  }

  countTurn(usage: TurnUsage, outcome: Outcome): void {
    const { kind, caller, input_tokens, output_tokens, cost_usd } = usage;
    const member = this.toMember(usage.member);
    const from = caller === CALLER_YOU ? 'you' : caller === CALLER_TESTS ? 'tests' : 'program';
    this.turns.add({ outcome }, 1);
    this.asks.add({ member, kind, from }, 1);
    if (input_tokens !== null) this.tokens.add({ member, type: 'input' }, input_tokens);
    if (output_tokens !== null) this.tokens.add({ member, type: 'output' }, output_tokens);
    if (cost_usd !== null) this.costs.add({ member }, cost_usd);
  }

  writeTo(text: MetricsText): void {
    const requests = [...this.requests].map(([key, value]) => {
      const [area = '', method = '', status = ''] = key.split('\n');
      return { labels: { area, method, status }, value };
    });
    const latencies = [...this.latencies].map(
      ([area, { counts, sum }]): Distribution => ({ labels: { area }, bounds: BOUNDS, counts, sum }),
    );
    text
      .add('counter', 'meshd_http_requests_total', 'Answered requests by area of the API.', requests)
      .addHistogram('meshd_http_request_duration_seconds', 'Time until an answer begins, by area.', latencies)
      .add('counter', 'meshd_asks_total', 'Questions and messages whose turn ended, by member.', this.asks.samples)
      .add('counter', 'meshd_turns_total', 'Turns that ended, by outcome.', this.turns.samples)
      .add('counter', 'meshd_tokens_total', 'Tokens that clients reported.', this.tokens.samples)
      .add('counter', 'meshd_cost_usd_total', 'Cost in US dollars that clients reported.', this.costs.samples);
  }

  private toMember(member: string): string {
    if (!this.members.has(member) && this.members.size >= MEMBERS_MAX) return USAGE_OTHERS;
    this.members.add(member);
    return member;
  }
}
