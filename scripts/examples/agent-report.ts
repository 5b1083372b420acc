import type { AgentBooks } from '../../daemon/agent-library/agent-types.js';
import type { LedgerEntry } from '../../daemon/contract/payments.js';

/** What an example agent tells of itself: where it is, what it was paid, and what it has paid. */
export interface AgentReport {
  agent_id: string;
  url: string;
  wallet: string;
  books: AgentBooks;
  spent: LedgerEntry[];
  deposits: { agent: string; lamports: number }[];
}
