/** Runs programs for a worker of the unit tests, one after the other. Ends with the worker, which closes the input. */
import { spawnSync } from 'node:child_process';

function run({ program, args, options }) {
  try {
    const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
    return { status: error ? null : status, stdout, stderr: error ? `${error.message}\n${stderr ?? ''}` : stderr };
  } catch (error) {
    return { status: null, stdout: '', stderr: error.message };
  }
}

let text = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  if (!text.endsWith('\n')) return;
  const request = JSON.parse(text);
  text = '';
  process.stdout.write(`${JSON.stringify(run(request))}\n`);
});
