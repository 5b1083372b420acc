import { type ExecFileOptionsWithStringEncoding, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { GitResult } from '../../storage/git/start-git.js';
import { runBeside } from './run-beside.js';

interface Ended {
  id: number;
  result?: GitResult;
  refused?: string;
}

const starter = fork(fileURLToPath(new URL('./git-starter.mjs', import.meta.url)), {
  execArgv: [],
  serialization: 'advanced',
});
starter.unref();
starter.channel?.unref();

const waiting = new Map<number, { resolve(result: GitResult): void; reject(error: Error): void }>();
let count = 0;

starter.on('message', ({ id, result, refused }: Ended) => {
  const call = waiting.get(id);
  waiting.delete(id);
  if (result) call?.resolve(result);
  else call?.reject(new TypeError(refused));
});
starter.on('exit', (code) => {
  for (const call of waiting.values()) call.reject(new Error(`git-starter.mjs ended with ${code}.`));
});

/**
 * Replaces `startGit` in unit tests: git is started by a small process. A process copies the table of its memory's
 * pages for each program that it starts, and a worker of the tests has so much memory that this took a quarter of the
 * processor time of tests that use git.
 */
export function startGit(
  args: readonly string[],
  options: ExecFileOptionsWithStringEncoding,
  input?: string,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    count += 1;
    waiting.set(count, { resolve, reject });
    starter.send({ id: count, args, options, input });
  });
}

/** Replaces `awaitGit` in unit tests, for the same reason. */
export function awaitGit(args: readonly string[], options: ExecFileOptionsWithStringEncoding): string | undefined {
  const { status, stdout } = runBeside('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout : undefined;
}
