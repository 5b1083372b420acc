import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Citation, ContextDoc, SearchOutcome } from '../../contract/asks.js';
import type { Decision, ToolCall, Usage } from '../../contract/conversations.js';
import type { PermissionDetail } from '../../contract/permissions.js';

/** The input of a client: one turn of one conversation with a member. All of it is data, never a command. */
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
  /** `outside`: requested by another program, so only reading tools and no network, whatever the member's tools are. */
  profile: 'operator' | 'outside';
  /**
   * The agent's own session from the last turn of this conversation on this client, as reported by its `session` event.
   */
  session: string | null;
  /** What `session` had cost at the end of its last turn, for agents that report the cost of the whole session. */
  session_cost_usd?: number;
  /**
   * The daemon's own tools for this turn, over the Model Context Protocol. The token ends with the turn and must not
   * appear in arguments or files. Absent in turns for other programs.
   */
  tool_server?: { url: string; token: string };
  /** The absolute path of the folder to work in. Absent: the project, or for other programs what they may read. */
  folder?: string;
  /** Set for programs of the agent that run in `folder`. */
  environment?: Readonly<Record<string, string>>;
  /**
   * Earlier messages, oldest first, cut to a budget. For clients whose agent keeps no session. What another program
   * asked is `from` outside: material, also where the operator asks now.
   */
  history: readonly { role: 'user' | 'assistant'; text: string; from?: 'outside' }[];
}

/** An action of the agent that needs the operator's permission. */
export interface PermissionQuestion {
  tool: string;
  target: string;
  reason: string;
  /** What it would do; absent or null when the client knows no more than the target. */
  detail?: PermissionDetail | null;
}

/** Requests a decision from the operator. Never rejects: without a decision in time, the result is `deny`. */
export type Decide = (question: PermissionQuestion) => Promise<Decision>;

/** An event of a run. The last one is always `end`; a run that fails throws instead. */
export type TurnEvent =
  | { type: 'text'; text: string }
  | { type: 'progress'; stage: string; done: number; total: number }
  /** A tool call began or changed. A repeated `id` replaces the previous state of that call. */
  | { type: 'tool'; call: ToolCall }
  /** `cost_usd`: what the session has cost so far, when the agent reports that. */
  | { type: 'session'; session: string; cost_usd?: number }
  /** What the turn has taken so far. A later event replaces the numbers of earlier ones, and is never less. */
  | { type: 'usage'; usage: Usage }
  /** `search` and `trace` are only reported by the built-in search. */
  | { type: 'end'; citations: Citation[]; search?: SearchOutcome; trace?: AnswerTrace };

/** A program, endpoint or built-in that can run members. Contract: Clients. */
export interface Client {
  readonly name: string;
  /** Whether the client can run, and if not, the reason in words for the operator. */
  probe(): Promise<{ ready: boolean; reason: string | null }>;
  /** The models it offers. `strongest` resolves to the first. */
  models(): readonly string[];
  /** The effort levels it supports besides `default`. */
  efforts(): readonly string[];
  /**
   * Runs one turn. Its processes may still be exiting at the `end` event, and none is left once the iteration is over.
   * When `signal` fires, throws the signal's reason once no process of the run is left. Any other failure is thrown as
   * an Error with a message for the operator: what happened and what to do, without secrets.
   */
  run(turn: Turn, signal: AbortSignal, decide: Decide): AsyncIterable<TurnEvent>;
}
