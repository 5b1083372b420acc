import type {
  NetworkAgent,
  NetworkAgents,
  NetworkAsk,
  NetworkAskBody,
  NetworkPollQuery,
} from '../../../contract/shared/network-asks.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Database } from '../../../storage/database/database.js';
import type { PeerFrames } from '../frames/peer-frames.js';
import type { NetworkSession } from '../network-session.js';
import { findDaemonById, listDaemons } from '../network-store.js';
import { ColleagueAsks } from './colleague-asks.js';
import { findAgent, listAgents, type ShowingDaemon } from './shared-agents.js';

interface ColleaguesParts {
  database: Database;
  key: SigningKey;
  clock: Clock;
  frames: Pick<PeerFrames, 'find'>;
  /** The connected session. Throws `not_found` in no network, and `network_unavailable`. */
  requireSession: () => NetworkSession;
  /** The session, connected or not. */
  findSession: () => NetworkSession | undefined;
}

/** The members that other daemons of the network share, and the asks of them. */
export class Colleagues {
  private readonly asks: ColleagueAsks;

  constructor(private readonly parts: ColleaguesParts) {
    this.asks = new ColleagueAsks(parts.clock);
  }

  /**
   * Lists the members that daemons share, also this one, of the daemons whose greetings arrived since the connection.
   */
  list(): NetworkAgents {
    const session = this.parts.findSession();
    const agents = session ? listAgents(this.daemons(session)) : [];
    return { agents, count: agents.length };
  }

  /** Finds a colleague's member. Throws `bad_request`, `not_found` and `network_unavailable`. */
  find(ref: string): NetworkAgent {
    return findAgent(this.daemons(this.parts.requireSession()), ref);
  }

  /**
   * Sends a question to a member of another daemon. Throws `bad_request` and `not_found` for its name,
   * `network_unavailable`, `payment_required` for one with a price, and `limit_reached`.
   */
  ask(body: NetworkAskBody): NetworkAsk {
    const session = this.parts.requireSession();
    const agent = this.find(body.to);
    if (agent.problem !== null)
      throw new MeshError(
        agent.price === undefined ? 'network_unavailable' : 'payment_required',
        `${agent.ref} cannot be asked: ${agent.problem}`,
      );
    const { database, key, clock } = this.parts;
    const findKey = (id: string) => findDaemonById(database, id)?.key;
    const { connection, network } = session;
    return this.asks.ask({ connection, network, key, clock, findKey }, agent, body);
  }

  poll(id: string, query: NetworkPollQuery, signal: AbortSignal): Promise<NetworkAsk> {
    return this.asks.poll(id, query, signal);
  }

  cancel(id: string): NetworkAsk {
    return this.asks.cancel(id);
  }

  /** Ends all asks under way, with the connection that they came by. */
  end(): void {
    this.asks.failAll(new MeshError('network_unavailable', 'This daemon left the network before the answer came.'));
  }

  private daemons(session: NetworkSession): ShowingDaemon[] {
    return listDaemons(this.parts.database)
      .filter(({ left_ms }) => left_ms === null)
      .map(({ id, name, key }) => ({ id, name, isSelf: id === session.daemon, ...this.parts.frames.find(key) }));
  }
}
