import type { ProcessGroups } from '../../../storage/processes/process-group.js';
import { type DaemonEnvironment, programEnvironment } from '../agent-program-environment.js';
import type { RunCommand } from './changing-tools.js';

/** Of longer output the end is kept, where commands report their result. */
const OUTPUT_MAX_CHARS = 64 * 1024;
const SHELL = '/bin/sh';

/**
 * Returns a function that runs allowed command lines in the folder `root`, without the daemon's secrets in their
 * environment. A run settles once all its processes have ended. The command line goes to the shell's standard input,
 * never into an argument list.
 */
export function commandRuns({
  processes,
  root,
  environment,
  fixed = {},
}: {
  processes: ProcessGroups;
  root: string;
  environment: DaemonEnvironment;
  /** Set for the commands. */
  fixed?: Readonly<Record<string, string>>;
}): RunCommand {
  return async (command, signal) => {
    signal.throwIfAborted();
    const group = await processes.start({
      bin: SHELL,
      args: ['-s'],
      cwd: root,
      environment: programEnvironment(environment, [], fixed),
    });
    const stop = () => void group.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await group.write(`exec 2>&1\n${command}\n`);
      group.closeInput();
      let output = '';
      for await (const line of group.lines()) {
        output += `${line}\n`;
        // Cut in larger steps: each cut copies what is kept.
        if (output.length > 2 * OUTPUT_MAX_CHARS) output = output.slice(-OUTPUT_MAX_CHARS);
      }
      const { code } = await group.ended;
      signal.throwIfAborted();
      return { exit: code, output: output.slice(-OUTPUT_MAX_CHARS) };
    } finally {
      signal.removeEventListener('abort', stop);
      await group.stop();
    }
  };
}
