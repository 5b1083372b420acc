import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../lib/time/clock.js';
import { TABLE_HEAD, tableRow } from '../../testing/processes/connection-table.js';
import { TableReader } from '../database/table-reader.js';
import { readKernelTable, readOwners } from './connection-table.js';
import { Peers, UNKNOWN_UID } from './peer-uid.js';

const reading = (table: () => Iterable<string>) =>
  new TableReader(undefined, systemClock, (wanted) => readOwners(wanted, table));
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

describe('Peers', () => {
  async function listening() {
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const connection = async ({ ends = false } = {}): Promise<Socket> => {
      const client = connect({
        port: (server.address() as { port: number }).port,
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      onTestFinished(() => void client.destroy());
      const [socket] = (await once(server, 'connection')) as [Socket];
      if (ends) {
        client.end('x');
        await once(socket.resume(), 'end');
      }
      return socket;
    };
    return { server, connection };
  }
  const connection = async (how?: { ends: boolean }) => (await listening()).connection(how);

  it('treats processes of its own user as not foreign', async () => {
    expect(new Peers(process.getuid?.()).isForeign(await connection())).toBe(false);
  });

  it('treats a half-closed connection of its own user as not foreign', async () => {
    const socket = await connection({ ends: true });
    expect(new Peers(process.getuid?.()).isForeign(socket)).toBe(false);
  });

  it('treats a connection as foreign when its row belongs to another user or cannot be found', async () => {
    const socket = await connection();
    const hex = (port: number | undefined) => (port as number).toString(16).padStart(4, '0').toUpperCase();
    const ends = `0100007F:${hex(socket.remotePort)} 0100007F:${hex(socket.localPort)}`;
    const foreign = (uid: number) =>
      new Peers(
        4242,
        reading(() => [TABLE_HEAD, tableRow(ends, '01', uid, 1)]),
      ).isForeign(socket);
    expect([foreign(4242), foreign(0), foreign(4243)]).toEqual([false, false, true]);
    expect(
      new Peers(
        4242,
        reading(() => [TABLE_HEAD]),
      ).isForeign(socket),
    ).toBe(true);
  });

  it('reads the table once for all connections accepted by then, and once more for later ones', async () => {
    const { server, connection: another } = await listening();
    let readings = 0;
    const peers = new Peers(
      process.getuid?.(),
      reading(() => {
        readings += 1;
        return readKernelTable();
      }),
    );
    peers.follow(server);
    const early = [await another(), await another(), await another()];
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(1);
    expect(peers.isForeign(await another())).toBe(false);
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(2);
  });

  it('reads once for all waiting connections, and again for one that arrived during the reading', async () => {
    const { server, connection: another } = await listening();
    const begun: number[] = [];
    const ending: (() => void)[] = [];
    const peers = new Peers(process.getuid?.(), {
      now: readOwners,
      soon(wanted, read) {
        const ends = wanted();
        begun.push(ends.size);
        ending.push(() => read(readOwners(ends)));
      },
    });
    peers.follow(server);
    const known = (socket: Socket) => new Promise<void>((resolve) => peers.onKnown(socket, resolve));
    const early = [await another(), await another(), await another()].map(known);
    const late = known(await another());
    ending[0]?.();
    await Promise.all(early);
    ending[1]?.();
    await late;
    expect(begun).toEqual([3, 1]);
  });

  it('treats a connection without a row in two readings as foreign, and does not look it up again', async () => {
    const socket = await connection();
    let readings = 0;
    const peers = new Peers(
      4242,
      reading(() => {
        readings += 1;
        return [TABLE_HEAD];
      }),
    );
    await new Promise<void>((resolve) => peers.onKnown(socket, resolve));
    expect([readings, peers.foreignUid(socket)]).toEqual([2, UNKNOWN_UID]);
    expect(readings).toBe(2);
  });

  it('admits no connection while the table cannot be read, and retries', async () => {
    const socket = await connection();
    let table: () => Iterable<string> = failing('EMFILE');
    const peers = new Peers(
      process.getuid?.(),
      reading(() => table()),
    );
    expect(() => peers.isForeign(socket)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    table = readKernelTable;
    expect(peers.isForeign(socket)).toBe(false);
    table = failing('EMFILE');
    expect(peers.isForeign(socket)).toBe(false);
  });

  it('treats no connection as foreign where the system has no table', async () => {
    expect(new Peers(1000, reading(failing('ENOENT'))).isForeign(await connection())).toBe(false);
    expect(new Peers(undefined).isForeign(await connection())).toBe(false);
  });
});
