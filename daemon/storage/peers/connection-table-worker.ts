/** The entry of the worker thread that reads the kernel's table of connections: see `table-reader.ts`. */
import { parentPort } from 'node:worker_threads';
import { readOwners } from './connection-table.js';

parentPort?.on('message', (wanted: ReadonlySet<string>) => parentPort?.postMessage(readOwners(wanted)));
