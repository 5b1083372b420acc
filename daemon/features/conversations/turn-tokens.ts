import { sha256Hex } from '../../lib/crypto/digests.js';
import { newTurnToken } from '../../lib/ids.js';

/**
 * The tokens with which the agents of running turns call the daemon. Only their digests are kept, in memory, and each
 * ends with its turn.
 */
export class TurnTokens {
  private readonly turns = new Map<string, string>();
  private readonly listeners: ((turn: string) => void)[] = [];

  /** Registers a listener that is called when a turn's token has ended. */
  onEnded(listener: (turn: string) => void): void {
    this.listeners.push(listener);
  }

  /** Creates the token of a turn. It is valid until `end` is called. */
  begin(turn: string): { token: string; end: () => void } {
    const token = newTurnToken();
    const digest = sha256Hex(token);
    this.turns.set(digest, turn);
    const end = () => {
      if (this.turns.delete(digest)) for (const listener of this.listeners) listener(turn);
    };
    return { token, end };
  }

  /** Returns the turn that a token belongs to, or undefined for one that is not valid. */
  find(token: string): string | undefined {
    return this.turns.get(sha256Hex(token));
  }
}
