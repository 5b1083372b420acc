import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import type { Knowledge } from './knowledge.js';
import type { CallMessage, CallName, Calls, WorkerMessage } from './worker-protocol.js';

/** The worker's end of its channel to the daemon. */
interface Port {
  postMessage(message: WorkerMessage): void;
  on(event: 'message', listener: (message: CallMessage) => void): unknown;
  close(): void;
}

/** Answers the calls that arrive at `port`, and reports every status change. `close` closes it as well. */
export function serveCalls(port: Port, knowledge: Knowledge): void {
  knowledge.onStatus((status) => port.postMessage({ type: 'status', status }));
  port.on('message', (message) => {
    run(knowledge, message)
      .then((take) => port.postMessage({ type: 'done', id: message.id, take }))
      .catch((error: unknown) => port.postMessage(toFailure(message.id, error)))
      .finally(() => {
        if (message.call === 'close') port.close();
      });
  });
}

async function run(knowledge: Knowledge, message: CallMessage): Promise<Calls[CallName]['take']> {
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

function toFailure(id: number, error: unknown): WorkerMessage {
  if (!isMeshError(error)) {
    const message = 'The project could not be searched: the index met a fault of its own.';
    return { type: 'failed', id, error: { code: 'internal', message, details: {} }, ...asFault(error) };
  }
  const { code, message, details, cause } = error;
  return { type: 'failed', id, error: { code, message, details }, ...(cause !== undefined && asFault(cause)) };
}

const asFault = (error: unknown) => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(getErrorMessage(error));
  return { fault: { name, message, stack } };
};
