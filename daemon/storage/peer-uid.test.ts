import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../testing/fake-clock.js';
import { ownersOf, Peers, readKernelTable, UNKNOWN_UID } from './peer-uid.js';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (ends: string, state: string, uid: number, inode: number) =>
  `   7: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;

describe('the owner of a loopback connection', () => {
  const ends = '0100007F:9C40 0100007F:128B';
  const of = (rows: string) => ownersOf(HEAD + rows, new Set([ends])).get(ends);

  it('is the uid of its established row', () => {
    const others = row('0100007F:128B 0100007F:9C40', '01', 7, 1) + row('0100007F:9C41 0100007F:128B', '01', 8, 2);
    expect(of(others + row(ends, '01', 1000, 4711) + others)).toBe(1000);
    expect(of(others)).toBeUndefined();
  });

  it('is the uid of a row that sends no more and still reads', () => {
    expect(of(row(ends, '04', 1000, 4711))).toBe(1000);
    expect(of(row(ends, '05', 1000, 4711))).toBe(1000);
  });

  it('is unknown for an abandoned, closed or missing row, which the kernel shows as root’s', () => {
    for (const state of ['01', '04', '05', '06']) expect(of(row(ends, state, 0, 0))).toBeUndefined();
    expect(of(row(ends, '06', 1000, 4711))).toBeUndefined();
    expect(of(row(ends, '07', 1000, 4711))).toBeUndefined();
    expect(of('')).toBeUndefined();
  });
});

describe('a foreign peer', () => {
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

  it('is none of our own processes', async () => {
    expect(new Peers(process.getuid?.()).isForeign(await connection())).toBe(false);
  });

  it('is none of our own that said all it had to say before it was looked up', async () => {
    const socket = await connection({ ends: true });
    expect(new Peers(process.getuid?.()).isForeign(socket)).toBe(false);
  });

  it('is one whose row is another user’s or cannot be found', async () => {
    const socket = await connection();
    const hex = (port: number | undefined) => (port as number).toString(16).padStart(4, '0').toUpperCase();
    const ends = `0100007F:${hex(socket.remotePort)} 0100007F:${hex(socket.localPort)}`;
    const foreign = (uid: number) => new Peers(4242, () => HEAD + row(ends, '01', uid, 1)).isForeign(socket);
    expect([foreign(4242), foreign(0), foreign(4243)]).toEqual([false, false, true]);
    expect(new Peers(4242, () => HEAD).isForeign(socket)).toBe(true);
  });

  it('is told by one reading of the table for all that were accepted by then, and by another for who came later', async () => {
    const { server, connection: another } = await listening();
    let readings = 0;
    const peers = new Peers(process.getuid?.(), () => {
      readings += 1;
      return readKernelTable();
    });
    peers.follow(server);
    const early = [await another(), await another(), await another()];
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(1);
    expect(peers.isForeign(await another())).toBe(false);
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(2);
  });

  it('is looked up once for all who wait, and then not before four times as long has passed, however many come', async () => {
    const { server, connection: another } = await listening();
    const clock = new FakeClock();
    const readAtMs: number[] = [];
    const peers = new Peers(
      process.getuid?.(),
      () => {
        readAtMs.push(clock.elapsed());
        clock.advance(5);
        return readKernelTable();
      },
      clock,
    );
    peers.follow(server);
    const known = (socket: Socket) => new Promise<void>((resolve) => peers.whenKnown(socket, resolve));
    await Promise.all([await another(), await another(), await another()].map(known));
    const later = [await another(), await another()].map(known);
    await new Promise((resolve) => setImmediate(resolve));
    expect(readAtMs).toEqual([0]);
    clock.advance(20);
    await Promise.all(later);
    expect(readAtMs).toEqual([0, 25]);
  });

  it('is another’s when no row was found twice, and is then not looked for again', async () => {
    const socket = await connection();
    let readings = 0;
    const peers = new Peers(4242, () => {
      readings += 1;
      return HEAD;
    });
    await new Promise<void>((resolve) => peers.whenKnown(socket, resolve));
    expect([readings, peers.foreignUid(socket)]).toEqual([2, UNKNOWN_UID]);
    expect(readings).toBe(2);
  });

  it('lets nobody in while the table cannot be read, and looks again', async () => {
    expect(readKernelTable('/proc')).toBe('');
    expect(readKernelTable('/proc/no-such-table')).toBeUndefined();
    const socket = await connection();
    let table: string | undefined = '';
    const peers = new Peers(process.getuid?.(), () => table);
    expect(() => peers.isForeign(socket)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    table = readKernelTable();
    expect(peers.isForeign(socket)).toBe(false);
    table = '';
    expect(peers.isForeign(socket)).toBe(false);
  });

  it('is nobody where the system does not tell', async () => {
    expect(new Peers(1000, () => undefined).isForeign(await connection())).toBe(false);
    expect(new Peers(undefined).isForeign(await connection())).toBe(false);
  });
});
