export const LOCAL = 'solana:local';

/** Options of every example agent. */
export interface ExampleOptions {
  /** Folder of its keys and books. */
  folder: string;
  /** The daemon's address: hub, unified API, agent search, reputation bureau and the local network. */
  hub: string;
  /** 0 selects a free port. */
  port: number;
  agentId?: string;
}
