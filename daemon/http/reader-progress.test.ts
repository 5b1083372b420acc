import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../testing/fake-clock.js';
import { ReaderProgress } from './reader-progress.js';

const STALLED_MS = 10_000;
/** More than the buffers of the system hold for one connection. */
const QUEUED_BYTES = 48 * 1024 * 1024;

function progressOf(connection: Pick<Socket, 'writableLength' | 'bytesWritten'>) {
  const clock = new FakeClock();
  return { clock, progress: new ReaderProgress(connection as Socket, clock, STALLED_MS) };
}

/** Both ends of a connection. */
async function aPair(): Promise<{ connection: Socket; reader: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [connection] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    connection.destroy();
    reader.destroy();
    server.close();
  });
  return { connection, reader };
}

describe('A reader', () => {
  it('that reads less than is added makes progress all the same', () => {
    const connection = { writableLength: 5_000, bytesWritten: 5_000 };
    const { clock, progress } = progressOf(connection);
    for (let second = 0; second < 60; second += 1) {
      expect(progress.isStalled()).toBe(false);
      connection.bytesWritten += 25_000;
      connection.writableLength += 5_000;
      clock.advance(1_000);
    }
  });

  it('that reads nothing has stalled after ten seconds, however much is added', () => {
    const connection = { writableLength: 5_000, bytesWritten: 5_000 };
    const { clock, progress } = progressOf(connection);
    expect(progress.isStalled()).toBe(false);
    connection.bytesWritten += 25_000;
    connection.writableLength += 25_000;
    clock.advance(STALLED_MS - 1);
    expect(progress.isStalled()).toBe(false);
    clock.advance(1);
    expect(progress.isStalled()).toBe(true);
  });

  it('makes progress within a single large write', async () => {
    const { connection, reader } = await aPair();
    const { clock, progress } = progressOf(connection);
    connection.write(Buffer.alloc(QUEUED_BYTES));
    expect(progress.isStalled()).toBe(false);
    // What the buffers of the system take after the write also counts.
    await vi.waitUntil(() => {
      clock.advance(STALLED_MS);
      return progress.isStalled();
    });
    let bytes = 0;
    reader.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes >= QUEUED_BYTES / 2) reader.pause();
    });
    reader.resume();
    await vi.waitUntil(() => reader.isPaused(), { timeout: 20_000 });
    expect([connection.writableLength, progress.isStalled()]).toEqual([QUEUED_BYTES, false]);
  });
});
