import type { FoundAgent, SearchBody, SearchResult } from '../../contract/network/oracle.js';
import { OutboundExchange } from '../../http/outbound/outbound-exchange.js';
import type { Clock } from '../../lib/time/clock.js';
import type { ProvenProject, RunningProjects } from './running-projects.js';

const SEARCH_MS = 3_000;
const SEARCH_BYTES = 1024 * 1024;
const MEMBER_PATH = /^\/team\/([a-z0-9][a-z0-9-]*)$/;

/**
 * Searches the exposed members of the user's other running projects. Each daemon scores its own members; only what is
 * public there is asked for, so that no right of the operator reaches who gets the answer. Agents of other programs
 * that are registered there are left out, and so is a project that gives no answer within 3 s.
 */
export class NeighbourSearch {
  constructor(
    private readonly projects: Pick<RunningProjects, 'listOthers'>,
    private readonly clock: Clock,
  ) {}

  /** Returns the members that are found, the best first, each named `<project>/<member>` in `call`. */
  async search(body: SearchBody): Promise<FoundAgent[]> {
    const others = await this.projects.listOthers();
    const found = await Promise.all(others.map((other) => this.searchOne(other, body)));
    return found.flat().sort((a, b) => b.oracle_score - a.oracle_score);
  }

  private async searchOne({ project: { address, name } }: ProvenProject, body: SearchBody): Promise<FoundAgent[]> {
    const exchange = new OutboundExchange({ clock: this.clock, loopback: () => new Set([new URL(address).host]) });
    const request = {
      method: 'POST',
      url: `${address}/v1/search`,
      headers: {},
      body: JSON.stringify(body),
      totalMs: SEARCH_MS,
      maxBytes: SEARCH_BYTES,
    } as const;
    // One that does not answer, or is of an early version, hides only its own members.
    const answer = await exchange.send(request, AbortSignal.timeout(SEARCH_MS)).catch(() => undefined);
    const { agents = [] } = answer?.status === 200 ? (answer.json as Partial<SearchResult>) : {};
    return agents.flatMap((agent): FoundAgent[] => {
      const { endpoint } = agent;
      const path = endpoint?.startsWith(`${address}/`) ? endpoint.slice(address.length) : '';
      const [, member] = MEMBER_PATH.exec(path) ?? [];
      return member === undefined ? [] : [{ ...agent, call: `${name}/${member}` }];
    });
  }
}
