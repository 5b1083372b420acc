import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Variables } from '../../../lib/user-folders.js';
import { programPath, projectAround } from '../../../private/program-path.js';

const TIMEOUT_MS = 60_000;

/** The output of a program. `exit` is undefined when the program is not installed. */
export interface ProgramOutput {
  exit: number | undefined;
  out: string;
  err: string;
}

/** Runs the programs of the service manager, found on the operator's PATH. */
export class Programs {
  private readonly env: Variables;

  constructor(variables: Variables) {
    // The working folder may be a repository of strangers.
    this.env = { ...variables, PATH: programPath(variables['PATH'], projectAround(process.cwd(), variables['HOME'])) };
  }

  /** Runs a program to its end. */
  run(name: string, args: readonly string[]): Promise<ProgramOutput> {
    return new Promise((resolve) => {
      execFile(name, [...args], { env: { ...this.env }, encoding: 'utf8', timeout: TIMEOUT_MS }, (error, out, err) => {
        const isMissing = error?.code === 'ENOENT' || error?.code === 'EACCES';
        const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exit: isMissing ? undefined : exit, out, err });
      });
    });
  }

  /** Runs a program with continuous output and passes on each line, until it ends or this process is interrupted. */
  follow(name: string, args: readonly string[], onLine: (line: string) => void): Promise<ProgramOutput> {
    return new Promise((resolve) => {
      const child = spawn(name, [...args], { env: { ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] });
      let err = '';
      createInterface({ input: child.stdout }).on('line', onLine);
      child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece));
      child.once('error', () => resolve({ exit: undefined, out: '', err }));
      child.once('close', (exit) => resolve({ exit: exit ?? 0, out: '', err }));
    });
  }
}
