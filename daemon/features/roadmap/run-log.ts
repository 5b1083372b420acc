import type { Transaction } from '../../storage/database/transaction.js';
import type { Asking } from '../conversations/asked-turns-store.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { Team } from '../team/team.js';
import type { RoadmapStore } from './roadmap-store.js';

/** The member whose conversation contains the log of a run. */
export const ORCHESTRATOR = 'roadmap-orchestrator';
const TITLE = 'Roadmap';

interface RunLogParts {
  store: Pick<RoadmapStore, 'run' | 'findRunTurn' | 'putRunTurn'>;
  team: Pick<Team, 'serving'>;
  conversations: Pick<Conversations, 'putNew' | 'findForAsk'>;
  messages: Pick<Messages, 'putNotice'>;
}

/**
 * Tells in the orchestrator's conversation what a run does, step by step, each with the step's own transaction. A run is
 * one turn of that conversation; the conversations of its tasks are the children of that turn. Without an orchestrator
 * in the team, and after its conversation was deleted, a run has no log.
 */
export class RunLog {
  constructor(private readonly parts: RunLogParts) {}

  /** Begins a run with what it is about. */
  begin(transaction: Transaction, text: string): void {
    const { store, team, conversations, messages } = this.parts;
    if (!team.serving(ORCHESTRATOR)) {
      store.putRunTurn(transaction, null);
      return;
    }
    const row =
      conversations.findForAsk(ORCHESTRATOR, undefined) ??
      conversations.putNew(transaction, { member: ORCHESTRATOR, title: TITLE });
    store.putRunTurn(transaction, messages.putNotice(transaction, row.conv, text));
  }

  /** Adds a step to the current run. */
  add(transaction: Transaction, text: string): void {
    const { store, messages } = this.parts;
    const run = store.findRunTurn();
    if (run) messages.putNotice(transaction, run.conv, text, run.turn);
  }

  /** Who gives out the tasks of the current run. */
  get asking(): Asking | undefined {
    const run = this.parts.store.findRunTurn();
    return run && { parent: run, asked_by: ORCHESTRATOR, waits: false };
  }
}
