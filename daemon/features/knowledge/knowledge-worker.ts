/** Entry point of the worker thread that holds the index, so that indexing and searching never block the daemon. */
import { parentPort, workerData } from 'node:worker_threads';
import { LocalKnowledge } from './local-knowledge.js';
import { serveCalls } from './worker-calls.js';
import type { WorkerSetup } from './worker-protocol.js';

const { root, state, environment } = workerData as WorkerSetup;
if (parentPort) serveCalls(parentPort, new LocalKnowledge(root, state, environment));
