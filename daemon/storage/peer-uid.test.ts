import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isForeignPeer, ownerOf, readKernelTable } from './peer-uid.js';

const row = (state: string, uid: number, inode: number) =>
  `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   7: 0100007F:9C40 0100007F:128B ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;

describe('the owner of a loopback connection', () => {
  const of = (table: string) => ownerOf(table, '0100007F:9C40', '0100007F:128B');

  it('is the uid of its established row', () => {
    expect(of(row('01', 1000, 4711))).toBe(1000);
  });

  it('is unknown for an abandoned, closing or missing row, which the kernel shows as root’s', () => {
    expect(of(row('01', 0, 0))).toBeUndefined();
    expect(of(row('06', 0, 0))).toBeUndefined();
    expect(of(row('04', 1000, 4711))).toBeUndefined();
    expect(of('')).toBeUndefined();
  });
});

describe('a foreign peer', () => {
  async function connection(): Promise<Socket> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const client = connect((server.address() as { port: number }).port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    const [socket] = (await once(server, 'connection')) as [Socket];
    return socket;
  }

  it('is none of our own processes', async () => {
    expect(isForeignPeer(await connection(), process.getuid?.())).toBe(false);
  });

  it('is one whose row is another user’s or cannot be found', async () => {
    const own = 4242;
    expect(isForeignPeer(await connection(), own, () => '')).toBe(true);
  });

  it('is everybody while the table cannot be read, and is asked again', async () => {
    expect(readKernelTable('/proc')).toBe('');
    expect(readKernelTable('/proc/no-such-table')).toBeUndefined();
    const [socket, own] = [await connection(), process.getuid?.()];
    expect(isForeignPeer(socket, own, () => '')).toBe(true);
    expect(isForeignPeer(socket, own)).toBe(false);
  });

  it('is nobody where the system does not tell', async () => {
    expect(isForeignPeer(await connection(), 1000, () => undefined)).toBe(false);
    expect(isForeignPeer(await connection(), undefined)).toBe(false);
  });
});
