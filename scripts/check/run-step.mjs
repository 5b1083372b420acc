import { spawn } from 'node:child_process';

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * Runs an npm script of the project. Resolves with `title` when it failed, else with undefined. With `isQuiet` its
 * output is printed in one piece when it has ended, so that steps beside each other do not mix theirs.
 */
function runStep({ script, args = [], title = script }, { root, env, isQuiet }) {
  const started = performance.now();
  if (!isQuiet) console.log(`\n── ${title}`);
  const child = spawn('npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])], {
    cwd: root,
    stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env,
    shell: process.platform === 'win32',
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    const end = (status) => {
      if (isQuiet) {
        console.log(`\n── ${title}`);
        process.stdout.write(Buffer.concat(output));
      }
      console.log(`── ${title}: ${status === 0 ? 'ok' : 'FAILED'}, ${seconds(started)}`);
      resolve(status === 0 ? undefined : title);
    };
    child.once('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      end(1);
    });
    child.once('close', end);
  });
}

/** Runs `steps` beside each other; only the output of the first appears while it runs. Resolves with those that failed. */
export async function runBeside(steps, options) {
  const ended = await Promise.all(steps.map((step, index) => runStep(step, { ...options, isQuiet: index > 0 })));
  return ended.filter((title) => title !== undefined);
}
