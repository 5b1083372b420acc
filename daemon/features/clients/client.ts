import type { Citation, ContextDoc } from '../../contract/asks.js';
import type { Decision, ToolCall, Usage } from '../../contract/conversations.js';

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
  /** `outside`: asked by another program, so reading tools only and no network, whatever the member's tools say. */
  profile: 'operator' | 'outside';
  /** The agent's own session from the last turn of this conversation on this client, as its `session` event named it. */
  session: string | null;
  /** Earlier messages, oldest first, cut to a budget: for clients whose agent keeps no session. */
  history: readonly { role: 'user' | 'assistant'; text: string }[];
}

/** Something the agent may do only when the operator says so. */
export interface PermissionQuestion {
  tool: string;
  target: string;
  reason: string;
}

/** Puts a question to whoever may answer it. Never rejects: what nobody answers in time is `deny`. */
export type Decide = (question: PermissionQuestion) => Promise<Decision>;

/** What a run says while it goes on. The last one is always `end`; a run that cannot go on throws instead. */
export type TurnEvent =
  | { type: 'text'; text: string }
  | { type: 'progress'; stage: string; done: number; total: number }
  /** A tool call began, or changed: the same `id` again replaces what was said of it. */
  | { type: 'tool'; call: ToolCall }
  | { type: 'session'; session: string }
  | { type: 'usage'; usage: Usage }
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
  /**
   * Runs one turn. When `signal` fires it ends early by throwing the signal's reason, once nothing of the run is left on the machine. Whatever goes
   * wrong is thrown as an Error whose message is fit for the operator: what happened and what to do, without secrets.
   */
  run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncIterable<TurnEvent>;
}
