import type { Citation } from '../../contract/asks.js';
import type { Transaction } from '../../storage/transaction.js';
import type { Client, Turn } from '../clients/client.js';
import type { TurnEnding, TurnRow } from './turns-store.js';

/** A member, or the prompt of an agent type, as a turn needs it: what to run, on which client, how long. */
export interface Runnable {
  member: Turn['member'];
  /** Version of the member's file; empty without a member. */
  revision: string;
  /** At most one turn runs for each: a conversation's id, or a singleton's. */
  key: string;
  client_resolved: string;
  model_resolved: string;
  effort_resolved: string;
  /** Absent when its client is not there or not ready. */
  client?: Client | undefined;
  /** Why it cannot run. */
  problem?: string | undefined;
}

/** A turn has begun, waits for a person, goes on, or has ended. */
export type TurnChange =
  | { kind: 'started'; turn: TurnRow; client: string; model: string }
  | { kind: 'waiting' | 'resumed'; turn: TurnRow }
  | {
      kind: 'ended';
      turn: TurnRow;
      ending: TurnEnding;
      answer: { text: string; citations: Citation[] } | null;
      runnable: Runnable | undefined;
    };

/** Records what a change of a turn means elsewhere, in the transaction that records the change. */
export type TurnFollower = (change: TurnChange, transaction: Transaction) => void;

/** Everyone who records something of their own when a turn changes. */
export class TurnFollowers {
  private readonly followers: TurnFollower[] = [];

  add(follower: TurnFollower): void {
    this.followers.push(follower);
  }

  notify(change: TurnChange, transaction: Transaction): void {
    for (const follow of this.followers) follow(change, transaction);
  }
}
