/** The entry of the thread that reads the kernel's table of connections while many come: see `table-reader.ts`. */
import { parentPort } from 'node:worker_threads';
import { readOwners } from './connection-table.js';

parentPort?.on('message', (wanted: ReadonlySet<string>) => parentPort?.postMessage(readOwners(wanted)));
