import type { Outcome, Usage } from '../../contract/conversations.js';

/** One tool call of a turn. */
export interface ToolRecord {
  id: string;
  name: string;
  startedMs: number;
  finishedMs: number;
  isFailed: boolean;
  /** Only with content. */
  input?: string;
  output?: string;
}

/** The record of an ended turn, from which its spans are made. */
export interface TurnRecord {
  turn: string;
  conv: string;
  /** The member's id, or the agent type of a conversation without one. */
  agent: { id: string; name: string };
  client: string;
  model: string;
  createdMs: number;
  /** Null for a turn that ended before it started. */
  startedMs: number | null;
  finishedMs: number;
  outcome: Outcome;
  code: string | null;
  usage: Usage | null;
  /** The turn at the beginning of the chain of members that ask one another: this one without a chain. */
  root: string;
  /** The turn that asked for this one. */
  parent: string | undefined;
  /** The `traceparent` header of the caller of the root. */
  traceparent: string | undefined;
  /** The ask that the turn answers. */
  ask: { id: string; caller: string } | undefined;
  tools: readonly ToolRecord[];
  /** Only with content. */
  content?: { question: string; answer: string; reason: string };
}

/** Returns how many spans a record makes: the ask, the turn once it started, and each tool call. */
export const countSpans = ({ ask, startedMs, tools }: TurnRecord): number =>
  (ask ? 1 : 0) + (startedMs === null ? 0 : 1) + tools.length;
