/** Entry point of the worker thread that holds the index, so that indexing and searching never block the daemon. */
import { parentPort, workerData } from 'node:worker_threads';
import { isMeshError } from '../../lib/errors.js';
import { LocalKnowledge } from './local-knowledge.js';
import type { CallMessage, CallName, Calls, WorkerMessage, WorkerSetup } from './worker-protocol.js';

const { root, state, environment } = workerData as WorkerSetup;
const knowledge = new LocalKnowledge(root, state, environment);
const port = parentPort;

async function run(message: CallMessage): Promise<Calls[CallName]['take']> {
  switch (message.call) {
    case 'start':
      knowledge.start();
      return null;
    case 'answer':
      return knowledge.answer(message.give);
    case 'check':
      return knowledge.check(message.give.citations, message.give.profile);
    case 'recheck':
      return knowledge.recheck(message.give.citations, message.give.profile);
    case 'rescan':
      await knowledge.rescan();
      return null;
    case 'readLines':
      return knowledge.readLines(message.give.path, message.give.start, message.give.end, message.give.profile);
    case 'findCode':
      return knowledge.findCode(message.give.query, message.give.name, message.give.profile);
    case 'findPaths':
      return knowledge.findPaths(message.give.words, message.give.limit, message.give.profile);
    case 'findNames':
      return knowledge.findNames(message.give.text, message.give.limit, message.give.profile);
    case 'close':
      await knowledge.close();
      return null;
  }
}

const send = (message: WorkerMessage) => port?.postMessage(message);

knowledge.onStatus((status) => send({ type: 'status', status }));
port?.on('message', (message: CallMessage) => {
  run(message)
    .then((take) => send({ type: 'done', id: message.id, take }))
    .catch((error: unknown) => {
      const known = isMeshError(error) ? error : undefined;
      const text = known?.message ?? 'The project could not be searched: the index met a fault of its own.';
      send({
        type: 'failed',
        id: message.id,
        error: { code: known?.code ?? 'internal', message: text, details: known?.details ?? {} },
      });
    })
    .finally(() => {
      if (message.call === 'close') port.close();
    });
});
