import { type Static, Type } from 'typebox';
import type { RequestRow } from './asks.js';
import type { Conversation, Message, Outcome, Permission, ToolCall, Usage } from './conversations.js';
import type { Surface } from './network/agents.js';
import type { LedgerSide, PaymentState } from './payments.js';
import type { KnowledgeStatus } from './system.js';
import type { Member, Problem } from './team.js';

/** The payload of each event, in addition to `type`, `seq` and `ts`. No event contains a secret. */
export interface EventPayloads {
  'team.created': { id: string };
  'team.updated': { id: string };
  'team.deleted': { id: string };
  'team.broken': { id: string; problem: Problem };
  'team.exposed': { id: string };
  'team.hidden': { id: string };
  'team.token_rotated': { id: string };
  /** The source of an imported member was changed or removed, or matches the member again. */
  'team.drifted': { id: string };
  /** The contract tests of a member started, progressed or ended, or their file changed. */
  'team.tests.started': { id: string };
  'team.tests.progress': { id: string };
  'team.tests.ended': { id: string };
  'team.tests.changed': { id: string };
  /** A conversation of the member was begun, moved to it or is live again; it was archived, deleted or moved away. */
  'team.instance.started': { id: string; conv: string };
  'team.instance.ended': { id: string; conv: string };
  'team.request.created': { member: string; request_id: string };
  'team.request.started': { member: string; request_id: string };
  'team.request.needs_input': { member: string; request_id: string };
  'team.request.done': { member: string; request_id: string };
  'team.request.error': { member: string; request_id: string };
  'team.request.polled': { member: string; request_id: string };
  'team.request.rated': { member: string; request_id: string };
  'conversation.created': { conv: string };
  'conversation.updated': { conv: string };
  'conversation.archived': { conv: string };
  'conversation.deleted': { conv: string };
  'message.added': { conv: string; message: Message };
  'turn.tool': { conv: string; turn: string; call: ToolCall };
  'turn.permission': { conv: string; turn: string; permission: Permission };
  'turn.delta': { conv: string; turn: string; index: number; text: string };
  /** `reason` if the record has one: for every outcome except `answered`. */
  'turn.ended': { conv: string; turn: string; outcome: Outcome; reason?: string; usage?: Usage };
  /** Published once the checkpoint is kept; its files can be compared and returned to. */
  'checkpoint.made': { conv: string; checkpoint: string };
  'agent.registered': { agent_id: string; surface: Surface };
  'agent.updated': { agent_id: string; surface: Surface };
  'agent.online': { agent_id: string; surface: Surface };
  'agent.offline': { agent_id: string; surface: Surface };
  'agent.deregistered': { agent_id: string; surface: Surface };
  'cluster.created': { cluster: string };
  'cluster.updated': { cluster: string };
  'cluster.deleted': { cluster: string };
  'board.changed': { cluster: string; board: string };
  /**
   * A saved cluster of the operator was added, changed, read or removed, or received a message (at most one event a
   * second).
   */
  'room.changed': { cluster: string };
  /** An entry of the ledger changed to this state. */
  'payment.changed': { id: string; side: LedgerSide; state: PaymentState; agent: string };
  /** A balance, a wallet or the spending caps changed. */
  'payment.balance': { agent: string | null };
  'call.changed': { call_id: string };
  'reputation.filed': { agent_id: string; report: number };
  'knowledge.progress': { status: KnowledgeStatus };
  'roadmap.updated': Record<string, never>;
  /** A schedule or a run of one changed. */
  'schedules.updated': Record<string, never>;
  'preferences.updated': Record<string, never>;
  /** Once per scope and day: most of a budget is spent. */
  'budget.warned': { scope: string };
  /** A limit is reached: running turns of the scope end, and no other one starts. */
  'budget.reached': { scope: string };
  /** The limits of a scope, or the turns that wait for it, changed; or a budget that was reached has room again. */
  'budget.changed': { scope: string };
  /** The clients of this machine, the choice of them, or a test of one changed. */
  'clients.updated': Record<string, never>;
}

export type EventType = keyof EventPayloads;
export type EventWithType<T extends EventType> = { type: T; seq: number; ts: number } & EventPayloads[T];
export type MeshEvent = { [T in EventType]: EventWithType<T> }[EventType];

/** First frame of `/events`: the state needed to render the dashboard. */
export interface Hello {
  type: 'hello';
  seq: number;
  ts: number;
  version: string;
  project: string;
  members: Member[];
  requests: RequestRow[];
  /** The conversations that are not archived, newest first, at most 50. */
  conversations: Conversation[];
  knowledge: KnowledgeStatus;
}

/** Sent every ten seconds, so that a client can distinguish a quiet connection from a dead one. */
export interface Heartbeat {
  type: 'heartbeat';
  seq: number;
  ts: number;
}

export type EventFrame = Hello | Heartbeat | MeshEvent;

export const EventsQuery = Type.Object(
  { since: Type.Optional(Type.Integer({ minimum: 0, description: 'Resume after this `seq`.' })) },
  { additionalProperties: false },
);
export type EventsQuery = Static<typeof EventsQuery>;

/** Close codes of the daemon's sockets. */
export const CLOSE = {
  deleted: 4000,
  revoked: 4401,
  tooSlow: 4408,
  shuttingDown: 1001,
  unsupported: 1003,
  policy: 1008,
  tooBig: 1009,
} as const;
