import type { Step } from './week-clock.js';

/** What the drill asks a process with daemons to do. It answers when that is done. */
export type Asked =
  | { do: 'begin'; step: Step }
  /** The daemon creates the network, or joins it. */
  | { do: 'enter'; index: number; isNew: boolean }
  | { do: 'populate' }
  /** Each daemon that is present sends so many changes. */
  | { do: 'hour'; changes: number }
  /** Answers once every daemon that is present has applied the message. */
  | { do: 'reach'; sequence: number }
  | { do: 'stop'; index: number }
  /** Answers once it has applied the message. */
  | { do: 'restart'; index: number; sequence: number }
  | { do: 'figures' };

/** What a process with daemons measured. */
export interface Figures {
  /** How long each change took, in milliseconds. */
  submitMs: number[];
  /** Messages that were refused on apply. */
  refused: number;
  failures: string[];
  /** Changes that the network had not applied in time. */
  unanswered: number;
  warnings: string[];
  digests: string[];
  /** The most rows that a snapshot of one of its daemons holds. */
  rows: number;
  cpuMs: number;
  /** Resident memory of the process. */
  bytes: number;
}
