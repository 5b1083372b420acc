/** Starts git for a worker of the unit tests, as `daemon/storage/git/start-git.ts` does. Ends with the worker. */
import { execFile } from 'node:child_process';

process.on('disconnect', () => process.exit());

process.on('message', ({ id, args, options, input = '' }) => {
  try {
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0;
      process.send({ id, result: { code, stdout, stderr } });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  } catch (error) {
    process.send({ id, refused: error.message });
  }
});
