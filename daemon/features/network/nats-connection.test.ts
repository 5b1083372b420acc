import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';

async function open(url: string, credentials?: string) {
  const connection = await openNats({ address: parseNatsAddress(url), credentials, name: 'test' });
  onTestFinished(() => connection.close());
  const seen: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      seen.push(status.type === 'error' ? status.error.name : status.type);
  })();
  return { connection, seen };
}

/** Passes bytes on to a server until it is told to hold them, as a link does that is cut without a word. */
async function link(port: number) {
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    sockets.push(near, far);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const cut = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { port: (proxy.address() as { port: number }).port, cut };
}

describe.skipIf(!hasNatsServer)(`a connection to the servers${NATS_NEEDED}`, () => {
  it('comes back after the servers have refused its credentials for a while', async () => {
    const [own, other] = [nkeys.createUser(), nkeys.createUser()];
    const config = join(temporaryFolder(), 'nats.conf');
    const admit = (user: typeof own) =>
      writeFileSync(config, `authorization { users: [{ nkey: ${user.getPublicKey()} }] }\n`);
    admit(own);
    const servers = await NatsServers.start(1, undefined, config);
    onTestFinished(() => servers.stop());
    const { connection, seen } = await open(servers.url, Buffer.from(own.getSeed()).toString());
    const restart = async (user: typeof own) => {
      await servers.kill('n1');
      admit(user);
      await servers.startOne('n1');
    };
    await restart(other);
    const refusals = () => seen.filter((one) => one === 'AuthorizationError').length;
    await expect.poll(refusals, { timeout: 10_000 }).toBeGreaterThan(2);
    await restart(own);
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe('reconnect');
    await connection.flush();
  });

  it('ends a link that takes nothing, however much of it is unwritten', async () => {
    const servers = await NatsServers.start(1);
    onTestFinished(() => servers.stop());
    const { port, cut } = await link(
      parseNatsAddress(servers.url).servers.map((one) => Number(one.split(':')[1]))[0] ?? 0,
    );
    const { connection, seen } = await open(`nats://127.0.0.1:${port}`);
    cut();
    for (let count = 0; count < 64; count += 1) connection.publish('full', Buffer.alloc(512 * 1024));
    // What the client does once two pings are unanswered, after ten seconds.
    (connection as unknown as { protocol: { disconnect(): void } }).protocol.disconnect();
    await expect.poll(() => seen, { timeout: 5_000 }).toContain('reconnect');
  });
});
