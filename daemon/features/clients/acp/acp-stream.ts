import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { type JsonObject, parseObject, toObject } from '../agent-program-json.js';

/**
 * Wraps the program's two pipes as a stream of messages. `session/update` notifications go to `onUpdate` in order and
 * are awaited, which limits the reading speed to that of the consumer. Lines that are not messages are skipped and
 * reported to `onMalformed`.
 */
export function messageStream(
  group: ProcessGroup,
  {
    onUpdate,
    onMalformed,
  }: { onUpdate: (update: JsonObject, sessionId: unknown) => Promise<void>; onMalformed: (line: string) => void },
): Stream {
  const lines = group.lines();
  const nextMessage = async (): Promise<JsonObject | undefined> => {
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) return undefined;
      const message = parseObject(line);
      if (!message || !('method' in message || 'id' in message)) {
        if (line.trim() !== '') onMalformed(line);
      } else if (message['method'] === 'session/update') {
        const params = toObject(message['params']);
        await onUpdate(toObject(params['update']), params['sessionId']);
      } else return message;
    }
  };
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          const message = await nextMessage();
          if (message) controller.enqueue(message as unknown as AnyMessage);
          else controller.close();
        },
        async cancel() {
          await lines.return();
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({ write: (message) => group.write(`${JSON.stringify(message)}\n`) }),
  };
}
