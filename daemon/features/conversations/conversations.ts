import type { Citation } from '../../contract/asks.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { Client, Decide, Turn } from '../clients/client.js';

/** A member that is to run: what its file says, and what its client and model come to on this machine. */
export interface RunnableMember {
  turn: Turn['member'];
  client_resolved: string;
  model_resolved: string;
  /** Absent when its client is not there or not ready. */
  client?: Client | undefined;
  /** Why it cannot run. */
  problem?: string | undefined;
}

/** Nobody can be asked yet, so everything that needs a yes is denied. */
const DENY: Decide = async () => 'deny';

/** What is said to the member in one turn. */
export type Said = Omit<Turn, 'member'>;

export interface TurnProgress {
  stage: string;
  done: number;
  total: number;
}

export interface TurnAnswer {
  text: string;
  citations: Citation[];
}

/**
 * Runs turns of conversations with members on whatever client is chosen for them, and tells watchers as text arrives.
 * Publishes `turn.delta` and `turn.ended`.
 */
export class Conversations {
  constructor(private readonly bus: Bus) {}

  /**
   * Runs one turn of `member` to its end. Throws what the client throws, and `overloaded` when its client is not ready; an abort
   * ends it with the signal's reason.
   */
  async run(member: RunnableMember, said: Said, signal: AbortSignal, onProgress: (progress: TurnProgress) => void): Promise<TurnAnswer> {
    const { conv, turn: id } = said;
    const { client } = member;
    if (!client) throw new MeshError('overloaded', member.problem ?? 'Its client is not ready.');
    let text = '';
    let index = 0;
    try {
      for await (const event of client.run({ ...said, member: member.turn }, signal, DENY)) {
        signal.throwIfAborted();
        if (event.type === 'progress') onProgress({ stage: event.stage, done: event.done, total: event.total });
        else if (event.type === 'text') {
          text += event.text;
          this.bus.publish('turn.delta', { conv, turn: id, index, text: event.text });
          index += 1;
        } else if (event.type === 'end') {
          this.bus.publish('turn.ended', { conv, turn: id, outcome: 'answered' });
          return { text, citations: event.citations };
        }
      }
      throw new MeshError('internal', `The client ${client.name} ended without an answer.`);
    } catch (error) {
      this.bus.publish('turn.ended', { conv, turn: id, outcome: signal.aborted ? 'cancelled' : 'failed' });
      throw error;
    }
  }
}
