import type { Citation, ContextDoc } from '../../contract/asks.js';

/** What a client is given to run: one turn of one conversation with a member. Everything in it is data, never a command. */
export interface Turn {
  conv: string;
  turn: string;
  member: {
    id: string;
    name: string;
    body: string;
    model: string;
    effort: string;
    tools: readonly string[];
    refs: readonly string[];
    limits: { turns: number; minutes: number };
  };
  text: string;
  context_docs: readonly ContextDoc[];
}

/** What a run says while it goes on. The last one is always `end`; a run that cannot go on throws instead. */
export type TurnEvent =
  | { type: 'text'; text: string }
  | { type: 'progress'; stage: string; done: number; total: number }
  | { type: 'end'; citations: Citation[] };

/** A program, endpoint or built-in that can run members. Contract: Clients. */
export interface Client {
  readonly name: string;
  /** Whether it can run now, and if not why, in words for the operator. */
  probe(): Promise<{ ready: boolean; reason: string | null }>;
  /** The models it offers; the first is what `strongest` comes to. */
  models(): readonly string[];
  /** The effort levels it knows beside `default`. */
  efforts(): readonly string[];
  /** Runs one turn. Ends early with an AbortError when `signal` fires. */
  run(turn: Turn, signal: AbortSignal): AsyncIterable<TurnEvent>;
}
