import type { Citation } from '../../contract/asks.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { Client, Turn } from '../clients/client.js';

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

  /** Runs one turn to its end. Throws what the client throws; an abort ends it with the signal's reason. */
  async run(client: Client, turn: Turn, signal: AbortSignal, onProgress: (progress: TurnProgress) => void): Promise<TurnAnswer> {
    const { conv, turn: id } = turn;
    let text = '';
    let index = 0;
    try {
      for await (const event of client.run(turn, signal)) {
        signal.throwIfAborted();
        if (event.type === 'progress') onProgress({ stage: event.stage, done: event.done, total: event.total });
        else if (event.type === 'text') {
          text += event.text;
          this.bus.publish('turn.delta', { conv, turn: id, index, text: event.text });
          index += 1;
        } else {
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
