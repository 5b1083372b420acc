import type { Client, Decide, Turn, TurnEvent } from '../../features/clients/client.js';

/**
 * A client that runs a script in place of an agent program. It is registered under the name of a real client, so that
 * members which name that client, or `auto`, run on it.
 */
export class ScriptedAgent implements Client {
  readonly turns: Turn[] = [];
  private readonly started: (() => void)[] = [];
  private finishing: (() => void)[] = [];
  private heldTurns = 0;

  constructor(
    readonly name: 'claude-code' | 'acp' | 'api',
    private readonly script: (
      turn: Turn,
      signal: AbortSignal,
      agent: ScriptedAgent,
      decide: Decide,
    ) => AsyncIterable<TurnEvent>,
  ) {}

  async probe() {
    return { ready: true, reason: null };
  }

  models() {
    return ['scripted-1', 'scripted-0'];
  }

  efforts() {
    return ['low', 'high'];
  }

  run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncIterable<TurnEvent> {
    this.turns.push(turn);
    return this.script(turn, signal, this, decide);
  }

  /** Resolves when `count` turns in total have been started and held. */
  async untilHeld(count: number): Promise<void> {
    while (this.heldTurns < count) await new Promise<void>((resolve) => this.started.push(resolve));
  }

  /** For scripts: waits until the test calls `finishAll`. Rejects when the turn is cancelled. */
  async held(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.finishing.push(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      this.heldTurns += 1;
      for (const wake of this.started.splice(0)) wake();
    });
  }

  finishAll(): void {
    for (const finish of this.finishing.splice(0)) finish();
  }
}

/** Answers every turn at once with the same text and no citation. */
export async function* answers(text: string): AsyncIterable<TurnEvent> {
  yield { type: 'text', text };
  yield { type: 'end', citations: [] };
}

/** Holds every turn until the test lets it finish. */
export async function* heldAnswer(_turn: Turn, signal: AbortSignal, agent: ScriptedAgent): AsyncIterable<TurnEvent> {
  yield { type: 'text', text: 'Thinking. ' };
  await agent.held(signal);
  yield { type: 'text', text: 'Done.' };
  yield { type: 'end', citations: [] };
}
