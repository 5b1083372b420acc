import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import tls, { type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { nkeys } from '@nats-io/transport-node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { parseNatsAddress } from './nats-address.js';
import { checkCredentials, openNats } from './nats-connection.js';

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

const seed = () => Buffer.from(nkeys.createUser().getSeed()).toString();
const credsOf = (jwt: string, key: string) =>
  `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${key}\n` +
  '------END USER NKEY SEED------';

interface Connect extends Record<string, unknown> {
  name: string;
  sig?: string;
}

/** A server that says who it is and what a test wants. Returns its port and what connected to it. */
async function aServer({ info = {}, answer = 'PONG' }: { info?: object; answer?: string } = {}) {
  const connected: Connect[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    const about = { server_id: 'x', version: '2.9.10', proto: 1, headers: true, max_payload: 1_048_576, ...info };
    socket.write(`INFO ${JSON.stringify(about)}\r\n`);
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n')) {
        if (line.startsWith('CONNECT ')) connected.push(JSON.parse(line.slice(8)) as Connect);
        if (line === 'PING') socket.write(`${answer}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, connected };
}

async function openTo(port: number, more: { credentials?: string; echo?: boolean } = {}) {
  const address = parseNatsAddress(`nats://127.0.0.1:${port}`);
  const connection = await openNats({ address, credentials: undefined, name: 'meshd lamp', ...more });
  onTestFinished(() => connection.close());
  return connection;
}

describe('Credentials', () => {
  it.each([
    ['a seed', () => seed()],
    ['a seed with blanks around it', () => ` ${seed()}\n`],
    ['a .creds file', () => `${credsOf('a.b.c', seed())}\n`],
    ['a .creds file with a text before it', () => `# of the quay\n${credsOf('a.b.c', seed())}\n`],
  ])('may be %s', (_, make) => {
    expect(() => checkCredentials(make())).not.toThrow();
  });

  it.each([
    ['nothing', () => ''],
    ['a seed of an account', () => seed().replace('SU', 'SA')],
    ['a seed that is too long', () => `${seed()}A`],
    ['a seed after something else', () => `x${seed()}`],
    ['a file without a key', () => credsOf('a.b.c', '')],
    ['a file without a JWT', () => credsOf('a.b.c', seed()).replace(/-+BEGIN NATS[\s\S]+END NATS USER JWT-+/, '')],
    ['a file with a broken key', () => credsOf('a.b.c', seed().slice(0, -1))],
  ])('are not %s, of which nothing is said', (_, make) => {
    expect(() => checkCredentials(make())).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: 'The credentials are no .creds file of NATS and no seed of a user’s nkey (SU…).',
        details: { path: 'credentials' },
      }),
    );
  });
});

describe('Servers', () => {
  it('are told the name of the connection, and whether it hears itself', async () => {
    const { port, connected } = await aServer();
    await openTo(port);
    await openTo(port, { echo: false });
    // They echo unless they are told not to.
    expect(connected.map(({ name, echo }) => [name, echo !== false])).toEqual([
      ['meshd lamp', true],
      ['meshd lamp', false],
    ]);
    for (const one of connected) expect(one).not.toHaveProperty('sig');
  });

  it('are told an nkey that signs what they ask', async () => {
    const { port, connected } = await aServer({ info: { nonce: 'once', auth_required: true } });
    const user = nkeys.createUser();
    await openTo(port, { credentials: ` ${Buffer.from(user.getSeed()).toString()}\n` });
    const [{ sig = '', ...told } = { name: '' }] = connected;
    expect(told).toMatchObject({ nkey: user.getPublicKey() });
    expect(told).not.toHaveProperty('jwt');
    expect(user.verify(Buffer.from('once'), Buffer.from(sig, 'base64url'))).toBe(true);
  });

  it('are told the JWT of a .creds file, which may end without a line break', async () => {
    const { port, connected } = await aServer({ info: { nonce: 'once', auth_required: true } });
    await openTo(port, { credentials: credsOf('a.b.c', seed()) });
    expect(connected).toMatchObject([{ jwt: 'a.b.c', sig: expect.any(String) }]);
  });

  it('that refuse the credentials are named', async () => {
    const { port } = await aServer({ answer: "-ERR 'Authorization Violation'" });
    await expect(openTo(port, { credentials: seed() })).rejects.toMatchObject({
      code: 'forbidden',
      message: `127.0.0.1:${port} refused the credentials: give a valid file with --creds.`,
    });
  });

  it('of this machine announce no others that would be dialled without TLS', async () => {
    const { port } = await aServer({ info: { connect_urls: ['10.0.0.9:4222', `127.0.0.1:4223`] } });
    const connection = await openTo(port);
    const { servers } = (connection as unknown as { protocol: { servers: { length(): number } } }).protocol;
    expect(servers.length()).toBe(1);
  });

  it('that do not answer are named, all of them', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => gone.once('listening', resolve));
    const free = (gone.address() as { port: number }).port;
    await new Promise((resolve) => gone.close(resolve));
    const address = { servers: [`127.0.0.1:${free}`, `127.0.0.1:${free}`], isLoopback: true };
    await expect(openNats({ address, credentials: undefined, name: 'test' })).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringMatching(
        new RegExp(`^No connection to 127\\.0\\.0\\.1:${free}, 127\\.0\\.0\\.1:${free}: [^.]+\\.$`),
      ),
    });
  });
});

describe('A connection with TLS', () => {
  /** Ends the handshake with `code`. Returns what it was asked for, and how opening the connection failed. */
  async function shake(code: string, hosts = ['127.0.0.1']) {
    const { port, connected } = await aServer({ info: { tls_required: true } });
    const asked: ConnectionOptions[] = [];
    const spy = vi.spyOn(tls, 'connect').mockImplementation(((options: ConnectionOptions) => {
      asked.push(options);
      const socket = new EventEmitter();
      setImmediate(() => {
        socket.emit('error', Object.assign(new Error('no trust'), { code }));
        socket.emit('close');
      });
      return socket;
    }) as never);
    onTestFinished(() => spy.mockRestore());
    const servers = hosts.map((host) => `${host}:${port}`);
    const address = { servers, isLoopback: false };
    const error = await openNats({ address, credentials: undefined, name: 'test' }).catch((failed: Error) => failed);
    const { checkServerIdentity } = asked[0] ?? {};
    const names = (host: string, subjectaltname: string) =>
      checkServerIdentity?.(host, { subject: { CN: 'quay' }, subjectaltname } as unknown as PeerCertificate);
    return { error, names, connected };
  }

  const HINT =
    'If the certificate is of an authority of your own, start the daemon with NODE_EXTRA_CA_CERTS=<its file>.';

  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', true],
    ['SELF_SIGNED_CERT_IN_CHAIN', true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', true],
    ['CERT_HAS_EXPIRED', false],
    ['X_SELF_SIGNED', false],
  ])('that fails with %s tells of an authority of one’s own: %s', async (code, isTold) => {
    const { error, connected } = await shake(code);
    expect(error).toMatchObject({
      code: 'network_unavailable',
      message: expect.stringMatching(/^No connection to 127/),
    });
    expect((error as Error).message.endsWith(isTold ? `no trust. ${HINT}` : ': no trust.')).toBe(true);
    expect(connected).toEqual([]);
  });

  it('is to a server with a certificate of any name that was typed, or of the one that was dialled', async () => {
    const { names } = await shake('CERT_HAS_EXPIRED', ['127.0.0.1', 'localhost', '[::1]']);
    expect(names('dialled.example.com', 'IP Address:127.0.0.1')).toBeUndefined();
    expect(names('dialled.example.com', 'DNS:localhost')).toBeUndefined();
    expect(names('dialled.example.com', 'IP Address:0:0:0:0:0:0:0:1')).toBeUndefined();
    expect(names('dialled.example.com', 'DNS:dialled.example.com')).toBeUndefined();
    expect(names('dialled.example.com', 'DNS:other.example.com')).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});
