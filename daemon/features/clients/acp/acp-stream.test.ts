import type { AnyMessage } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { messageStream } from './acp-stream.js';

/** The stream over a program that writes `lines`, and what came of them. */
function streamOf(lines: readonly string[], onUpdate = async (): Promise<void> => undefined) {
  const seen = { updates: [] as unknown[], malformed: [] as string[], written: [] as string[], isClosed: false };
  async function* read(): AsyncGenerator<string, void, void> {
    try {
      yield* lines;
    } finally {
      seen.isClosed = true;
    }
  }
  const group = {
    lines: read,
    write: async (text: string) => {
      seen.written.push(text);
    },
  } as unknown as ProcessGroup;
  const stream = messageStream(group, {
    onUpdate: async (update, sessionId) => {
      seen.updates.push([update, sessionId]);
      await onUpdate();
    },
    onMalformed: (line) => seen.malformed.push(line),
  });
  return { stream, seen };
}

async function readAll({ readable }: { readable: ReadableStream<AnyMessage> }): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const message of readable) all.push(message);
  return all;
}

const update = (sessionId: unknown, body: object) =>
  JSON.stringify({ method: 'session/update', params: { sessionId, update: body } });

describe('the messages of an agent', () => {
  it('are requests and responses, in order, until its output ends', async () => {
    const { stream } = streamOf(['{"id":1,"result":{}}', '{"method":"a"}', '{"id":2,"method":"b"}']);
    expect(await readAll(stream)).toEqual([{ id: 1, result: {} }, { method: 'a' }, { id: 2, method: 'b' }]);
  });

  it('are updates too, which do not go on to the connection', async () => {
    const { stream, seen } = streamOf([update('s', { a: 1 }), '{"id":1}', update(7, { a: 2 })]);
    expect(await readAll(stream)).toEqual([{ id: 1 }]);
    expect(seen.updates).toEqual([
      [{ a: 1 }, 's'],
      [{ a: 2 }, 7],
    ]);
  });

  it('without parameters update nothing', async () => {
    const { stream, seen } = streamOf(['{"method":"session/update"}']);
    expect(await readAll(stream)).toEqual([]);
    expect(seen.updates).toEqual([[{}, undefined]]);
  });

  it('wait until the update before them is taken', async () => {
    const taken: (() => void)[] = [];
    const { stream, seen } = streamOf(
      [update('s', {}), update('s', {}), '{"id":1}'],
      () => new Promise((resolve) => taken.push(resolve)),
    );
    const reading = readAll(stream);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect(seen.updates).toHaveLength(1);
    taken[0]?.();
    await turn();
    expect(seen.updates).toHaveLength(2);
    taken[1]?.();
    expect(await reading).toEqual([{ id: 1 }]);
  });

  it('are not lines that are none, of which those with text are told', async () => {
    const { stream, seen } = streamOf(['Welcome!', '', ' \t', '[1]', '{}', '{"result":1}', '{"id":1}']);
    expect(await readAll(stream)).toEqual([{ id: 1 }]);
    expect(seen.malformed).toEqual(['Welcome!', '[1]', '{}', '{"result":1}']);
  });

  it('are not read before they are wanted, and no more when they are cancelled', async () => {
    const { stream, seen } = streamOf([update('s', {}), '{"id":1}', '{"id":2}']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.updates).toEqual([]);
    const reader = stream.readable.getReader();
    expect((await reader.read()).value).toEqual({ id: 1 });
    await reader.cancel();
    expect(seen.isClosed).toBe(true);
  });

  it('to it are one line each', async () => {
    const { stream, seen } = streamOf([]);
    const writer = stream.writable.getWriter();
    await writer.write({ jsonrpc: '2.0', method: 'a', params: { text: 'b\nc' } } as AnyMessage);
    expect(seen.written).toEqual(['{"jsonrpc":"2.0","method":"a","params":{"text":"b\\nc"}}\n']);
  });
});
