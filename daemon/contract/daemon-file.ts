/**
 * `.mesh/state/daemon.json` (0600): who serves this project and where. What the command line reads to find the daemon. `secret` proves that it is really
 * this one that answers; it never leaves this file and the two programs' memory.
 */
export interface DaemonFile {
  pid: number;
  port: number;
  address: string;
  started_at: string;
  version: string;
  root: string;
  secret: string;
}
