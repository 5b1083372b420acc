#!/usr/bin/env node
import { readEnvironment } from './environment.js';
import { run } from './program.js';
import { Terminal } from './terminal.js';

// A reader that has seen enough (`meshd requests ls | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode);
  });
}

const terminal = new Terminal(process.stdout, process.stderr, readEnvironment(process.stdout.isTTY === true));
process.exitCode = await run(process.argv.slice(2), terminal, import.meta.url);
