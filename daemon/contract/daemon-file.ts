/**
 * `.mesh/state/daemon.json` (mode 0600): process and address of the daemon that serves this project. The command line
 * reads it to find the daemon. `secret` proves the identity of the daemon; it exists only in this file and in the
 * memory of the two programs.
 */
export interface DaemonFile {
  pid: number;
  port: number;
  address: string;
  started_at: string;
  version: string;
  /** SHA-256 of the program that runs, in hex. Missing in files of earlier versions. */
  program_sha256?: string;
  root: string;
  secret: string;
}
