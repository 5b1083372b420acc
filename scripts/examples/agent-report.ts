import type { AgentBooks } from '../../daemon/agent-library/agent-types.js';
import type { LedgerEntry } from '../../daemon/contract/payments.js';

/** Report of an example agent: its address, its wallet, its income and its payments. */
export interface AgentReport {
  agent_id: string;
  url: string;
  wallet: string;
  books: AgentBooks;
  spent: LedgerEntry[];
  deposits: { agent: string; lamports: number }[];
}
