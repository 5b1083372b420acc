export const LOCAL = 'solana:local';

/** What every example agent is started with. */
export interface ExampleOptions {
  /** Where its keys and books are kept. */
  folder: string;
  /** The daemon's address: hub, unified API, Oracle, bureau and the local network. */
  hub: string;
  /** 0 takes a free one. */
  port: number;
  agentId?: string;
}
