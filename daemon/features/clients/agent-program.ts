import { dirname } from 'node:path';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import type { Clock } from '../../lib/time/clock.js';
import { projectAround } from '../../private/program-path.js';
import type { ProcessGroups } from '../../storage/processes/process-group.js';
import { findProgram } from '../../storage/processes/process-group-path.js';
import type { DaemonEnvironment } from './agent-program-environment.js';
import type { Turn } from './client.js';

/** The dependencies of a client that runs a program on this machine. */
export interface AgentProgramParts {
  /** The project root, which is the working folder of the operator's runs. */
  root: string;
  /** Prepares the working folder of runs for other programs. It holds only what they may read. */
  outside: { prepare(): Promise<string> };
  /** The daemon's own environment. Programs receive only its allow-listed variables. */
  environment: DaemonEnvironment;
  clock: Clock;
  processes: ProcessGroups;
}

/** Returns the working folder of a run, and environment variables that keep git within it. */
export async function resolveWorkingFolder(
  { root, outside }: Pick<AgentProgramParts, 'root' | 'outside'>,
  { profile, folder, environment }: Pick<Turn, 'profile' | 'folder' | 'environment'>,
): Promise<{ cwd: string; fixed: Readonly<Record<string, string>> }> {
  if (profile === 'operator') return { cwd: folder ?? root, fixed: environment ?? {} };
  const cwd = await outside.prepare();
  return { cwd, fixed: { GIT_CEILING_DIRECTORIES: dirname(cwd) } };
}

/** A program and its arguments from the machine's own configuration. Never read from a file of the project. */
export type Command = readonly [string, ...string[]];

const REMEMBERED_MS = 30_000;

/** Looks up programs on the PATH, outside of the project at `root`, and caches the results for 30 s. */
export class ProgramLookup {
  private readonly known = new Map<string, { path: string | undefined; untilMs: number }>();

  constructor(
    private readonly root: string,
    private readonly environment: DaemonEnvironment,
    private readonly clock: Clock,
  ) {}

  /** Returns the absolute path of the program, or undefined. */
  async find(name: string): Promise<string | undefined> {
    const known = this.known.get(name);
    if (known && known.untilMs > this.clock.elapsed()) return known.path;
    const { PATH, HOME } = this.environment;
    const path = await findProgram(name, PATH, projectAround(this.root, HOME));
    this.known.set(name, { path, untilMs: this.clock.elapsed() + REMEMBERED_MS });
    return path;
  }
}

const OUTPUT_MAX_CHARS = 600;

/**
 * Prepares a program's error output for the operator: one line, no control characters, at most 600 characters, secrets
 * redacted (by pattern, and each of `values` literally).
 */
export function sanitizeOutput(text: string, values: readonly (string | undefined)[] = []): string {
  let clean = scrubSecrets(text);
  for (const value of values)
    if (value !== undefined && value.length >= 4) clean = clean.replaceAll(value, '[redacted]');
  clean = clean
    .replace(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return clean.length > OUTPUT_MAX_CHARS ? `${clean.slice(0, OUTPUT_MAX_CHARS)}…` : clean;
}
