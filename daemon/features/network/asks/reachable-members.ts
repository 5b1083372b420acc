import type { NetworkAnswer, NetworkCard } from '../../../contract/shared/network-asks.js';

/** The daemon of the network that asks, as its signature and the network's list of daemons prove. */
export interface AskingDaemon {
  id: string;
  name: string;
}

type AskNews =
  | { kind: 'state'; status: 'queued' | 'running' | 'needs_input'; queue_position?: number }
  | { kind: 'delta'; text: string };

/** What a member of this daemon answered, or why it did not. */
export type AskEnd = { answer: NetworkAnswer } | { error: { code: string; message: string } };

/** The exposed members of this daemon, as the network reaches them. */
export interface ReachableMembers {
  /** Returns the card of an exposed member; undefined for any other. */
  findCard(member: string): NetworkCard | undefined;
  /**
   * Throws `not_exposed` for a member that programs may not ask, and `forbidden` for one whose callers share a
   * conversation.
   */
  requireShareable(member: string): void;
  /**
   * Accepts an ask, durably, and returns its id. Throws as the ask of a program does, also for the member's own limits
   * of calls, where the asking daemon counts as one address, and `payment_required` for a member with a price.
   */
  accept(member: string, question: { text: string; session?: string }, asking: AskingDaemon): Promise<string>;
  /** Yields the news of an ask until it has ended or `signal` aborts. */
  follow(member: string, requestId: string, signal: AbortSignal): AsyncIterable<AskNews>;
  /** Returns the current state of an ask that has not ended, or its end. */
  read(member: string, requestId: string): Promise<AskNews | AskEnd>;
  cancel(member: string, requestId: string): Promise<void>;
}
