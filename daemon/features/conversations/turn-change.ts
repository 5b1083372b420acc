import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Citation, SearchOutcome } from '../../contract/asks.js';
import type { Usage } from '../../contract/conversations.js';
import type { ConversationIsolation, Isolation } from '../../contract/work/worktrees.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { Client, Turn } from '../clients/client.js';
import type { ConversationRow } from './conversations-store.js';
import type { TurnCancelledError } from './turn-cancelled.js';
import type { TurnEnding, TurnRow } from './turns-store.js';

/** What a turn runs: a member or the prompt of an agent type, with its client and limits. */
export interface Runnable {
  member: Turn['member'];
  /** Revision of the member file; empty without a member. */
  revision: string;
  /** At most one turn runs per key: a conversation's id, or a singleton's id. */
  key: string;
  client_resolved: string;
  model_resolved: string;
  effort_resolved: string;
  /** Where the member's file lets it work. */
  isolation?: Isolation | undefined;
  /** Absent when the client does not exist or is not ready. */
  client?: Client | undefined;
  /** The reason why it cannot run. */
  problem?: string | undefined;
  /** The code of `problem` when it is that no model is connected for a member that works. */
  code?: 'no_working_client' | undefined;
}

/** What a conversation runs, as far as it decides where it works. */
export interface PlaceFacts {
  tools: readonly string[];
  /** The default in the member's file. */
  isolation: Isolation | undefined;
}

/** Where a conversation works or will work. */
export interface PlaceView {
  isolation: ConversationIsolation;
  folder: string;
}

/** The worktree in which one turn works. `leave` must be called once it has ended. */
export interface TurnPlace {
  folder: string;
  /** Set for the programs of the agent. */
  environment: Readonly<Record<string, string>>;
  leave: () => Promise<void>;
}

/** What became of the folder of a deleted conversation. */
export interface ForgottenPlace {
  /** The ref that keeps the changes of its worktree, or null. */
  kept: string | null;
  /** The folder of its worktree when that stays. */
  left?: string;
}

/** The folders in which the operator's turns work. */
export interface TurnPlaces {
  describe(row: ConversationRow, facts: PlaceFacts): PlaceView;
  /** Undefined: in the project folder. Rejects, with a message for the operator, when it cannot be prepared. */
  enter(row: ConversationRow, facts: PlaceFacts, turn: string, signal: AbortSignal): Promise<TurnPlace | undefined>;
  /** Removes the worktree of a deleted conversation, unless what is in it would be lost. Never rejects. */
  forget(conv: string): Promise<ForgottenPlace>;
}

/** A state change of a turn: started, waiting for a person, resumed, or ended. */
export type TurnChange =
  | { kind: 'started'; turn: TurnRow; client: string; model: string }
  | { kind: 'waiting' | 'resumed'; turn: TurnRow }
  | {
      kind: 'ended';
      turn: TurnRow;
      ending: TurnEnding;
      answer: {
        text: string;
        citations: Citation[];
        search: SearchOutcome | null;
        trace: AnswerTrace | null;
      } | null;
      runnable: Runnable | undefined;
    };

/** Records the consequences of a turn's change in the same transaction. */
export type TurnFollower = (change: TurnChange, transaction: Transaction) => void;

/** The followers that are notified of every change of a turn. */
export class TurnFollowers {
  private readonly followers: TurnFollower[] = [];

  add(follower: TurnFollower): void {
    this.followers.push(follower);
  }

  notify(change: TurnChange, transaction: Transaction): void {
    for (const follow of this.followers) follow(change, transaction);
  }
}

/** A turn that runs, and what it has taken so far. */
export interface RunningTurn {
  turn: TurnRow;
  /** How long it has run, without the time in which it waited for a person or for another turn. */
  ranMs: number;
  /** It waits for a person or for another turn. */
  isPaused: boolean;
  usage: Usage | null;
}

/** Decides which queued turns may start. */
export interface TurnGate {
  /** Undefined: it may start. `wait`: not before the next `pump`. An error: it ends with it. */
  check(turn: TurnRow): 'wait' | TurnCancelledError | undefined;
  /** Called when a turn is about to start, before anything is stored. */
  starting(turn: TurnRow): void;
  /** Called each time that the client has reported the usage of a running turn. */
  reported(turn: TurnRow, usage: Usage): void;
}

export const OPEN_GATE: TurnGate = { check: () => undefined, starting: () => undefined, reported: () => undefined };
