import type { ProcessGroups } from '../../../storage/process-group.js';
import { type DaemonEnvironment, programEnvironment } from '../agent-program-environment.js';
import type { RunCommand } from './changing-tools.js';

const OUTPUT_MAX_CHARS = 64 * 1024;
const SHELL = '/bin/sh';

/**
 * Runs the command lines that the operator has allowed, in the project folder, without the daemon's secrets in their environment. A command settles only
 * once nothing that it started is left. Its words go to the shell's input, never into an argument list.
 */
export function commandRuns({
  processes,
  root,
  environment,
}: {
  processes: ProcessGroups;
  root: string;
  environment: DaemonEnvironment;
}): RunCommand {
  return async (command, signal) => {
    signal.throwIfAborted();
    const group = await processes.start({
      bin: SHELL,
      args: ['-s'],
      cwd: root,
      environment: programEnvironment(environment, []),
    });
    const stop = () => void group.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await group.write(`exec 2>&1\n${command}\n`);
      group.closeInput();
      let output = '';
      for await (const line of group.lines()) {
        if (output.length < OUTPUT_MAX_CHARS) output += `${line}\n`;
      }
      const { code } = await group.ended;
      signal.throwIfAborted();
      return { exit: code, output: output.slice(0, OUTPUT_MAX_CHARS) };
    } finally {
      signal.removeEventListener('abort', stop);
      await group.stop();
    }
  };
}
