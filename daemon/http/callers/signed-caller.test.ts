import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { Database } from '../../storage/database/database.js';
import { UsedNonces } from '../../storage/database/used-nonces.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { createServer } from '../create-server.js';
import { Guard } from '../guard.js';
import { SignedCallers } from './signed-caller.js';

const key = new SigningKey(SigningKey.newSeed());

interface Answer {
  status: number;
  body: { error?: string; message?: string; pubkey?: string | null; request?: object };
}

/** Starts a server whose routes respond with the key that signed the request. */
async function signedServer({ folder = temporaryFolder({}), clock = new FakeClock() } = {}) {
  const database = new Database(join(folder, 'mesh.db'));
  const callers = new SignedCallers(new UsedNonces(database), clock);
  const guard = new Guard();
  const app = await createServer({ guard, isForeignPeer: () => false, log: false });
  app.all('/signed/*', { config: { access: 'public' } }, async (request) => ({
    pubkey: (await callers.get(request as FastifyRequest)).pubkey,
  }));
  app.all('/either', { config: { access: 'public' } }, async (request) => ({
    pubkey: (await callers.find(request as FastifyRequest))?.pubkey ?? null,
  }));
  app.all('/whole', { config: { access: 'public' } }, (request) => callers.get(request as FastifyRequest));
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await app.close();
    database.close();
  };
  onTestFinished(stop);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  guard.listeningOn(port);

  const send = (method: string, path: string, body: string, meshSig: readonly string[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { ...(body === '' ? {} : { 'content-type': 'application/json' }), 'mesh-sig': [...meshSig] };
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }),
        );
      });
      sent.on('error', reject).end(body);
    });
  const header = (method: string, path: string, body: string) => signMeshSig(key, { method, path, body }, clock.now());
  return { folder, clock, send, header, stop };
}

const REFUSED = { status: 401, body: { error: 'bad_signature' } };
const BODY = '{"dims":{"quality":1}}';

describe('a signed caller', () => {
  it('is identified by the key that signed method, path with query and raw body', async () => {
    const { send, header } = await signedServer();
    const odd = '{ "b" : 1,\n"a":"\\u00e4" }';
    expect(await send('POST', '/signed/x?b=%20&a', odd, [header('POST', '/signed/x?b=%20&a', odd)])).toEqual({
      status: 200,
      body: { pubkey: key.pubkey },
    });
    expect((await send('GET', '/signed/x', '', [header('GET', '/signed/x', '')])).status).toBe(200);
    expect((await send('DELETE', '/signed/x', '', [header('DELETE', '/signed/x', '')])).status).toBe(200);
  });

  it.each([
    ['path', 'POST', '/signed/y?q=1', BODY],
    ['spelling of the path', 'POST', '/signed/%78?q=1', BODY],
    ['query', 'POST', '/signed/x?q=2', BODY],
    ['method', 'PUT', '/signed/x?q=1', BODY],
    ['body', 'POST', '/signed/x?q=1', '{"dims":{"quality":0}}'],
    ['lack of a body', 'POST', '/signed/x?q=1', ''],
  ])('is refused with another %s than was signed', async (_name, method, path, body) => {
    const { send, header } = await signedServer();
    expect(await send(method, path, body, [header('POST', '/signed/x?q=1', BODY)])).toMatchObject(REFUSED);
  });

  it('is refused when the same request is repeated, also after a restart', async () => {
    const first = await signedServer();
    const header = first.header('POST', '/signed/x', BODY);
    expect((await first.send('POST', '/signed/x', BODY, [header])).status).toBe(200);
    expect(await first.send('POST', '/signed/x', BODY, [header])).toMatchObject(REFUSED);
    await first.stop();
    const second = await signedServer({ folder: first.folder, clock: first.clock });
    expect(await second.send('POST', '/signed/x', BODY, [header])).toMatchObject(REFUSED);
  });

  it('is admitted once when the same request arrives many times at once', async () => {
    const { send, header } = await signedServer();
    const one = header('POST', '/signed/x', BODY);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('POST', '/signed/x', BODY, [one])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });

  it('may use a nonce that another key has used', async () => {
    const { send, clock } = await signedServer();
    const other = new SigningKey(SigningKey.newSeed());
    const ts = Math.floor(clock.now() / 1000);
    const by = (signer: SigningKey) => {
      const text = [
        'v1',
        'GET',
        '/signed/x',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        ts,
        'one-nonce-for-both',
      ];
      return `v1 ${signer.pubkey} ${ts} one-nonce-for-both ${signer.sign(text.join('\n'))}`;
    };
    expect((await send('GET', '/signed/x', '', [by(key)])).status).toBe(200);
    expect((await send('GET', '/signed/x', '', [by(other)])).status).toBe(200);
    expect((await send('GET', '/signed/x', '', [by(other)])).status).toBe(401);
  });

  it.each([-121_000, 121_000])('is refused when the clock is %i ms off', async (ms) => {
    const { send, header, clock } = await signedServer();
    const late = header('GET', '/signed/x', '');
    clock.step(ms);
    expect(await send('GET', '/signed/x', '', [late])).toMatchObject(REFUSED);
  });

  it('is refused a replay after the clock was a day ahead and is set back, despite expired nonces', async () => {
    const { send, header, clock } = await signedServer();
    const old = header('GET', '/signed/x', '');
    expect((await send('GET', '/signed/x', '', [old])).status).toBe(200);
    clock.step(25 * 3_600_000);
    for (let i = 0; i < 3; i += 1)
      expect((await send('GET', '/signed/x', '', [header('GET', '/signed/x', '')])).status).toBe(200);
    clock.step(-25 * 3_600_000);
    expect(await send('GET', '/signed/x', '', [old])).toMatchObject(REFUSED);
  });

  it('is refused with two headers, also when they are equal', async () => {
    const { send, header } = await signedServer();
    const one = header('GET', '/signed/x', '');
    expect(await send('GET', '/signed/x', '', [one, header('GET', '/signed/x', '')])).toMatchObject(REFUSED);
    expect(await send('GET', '/signed/x', '', [one, one])).toMatchObject(REFUSED);
    expect((await send('GET', '/signed/x', '', [one])).status).toBe(200);
  });

  it.each(['', 'v1', 'v1 AAAA 1 nonce sig', 'x'.repeat(8000)])('is refused for the header %j', async (said) => {
    const { send } = await signedServer();
    expect(await send('GET', '/signed/x', '', [said])).toMatchObject(REFUSED);
    expect(await send('GET', '/either', '', [said])).toMatchObject(REFUSED);
  });

  it('is anonymous without a header, which only some routes allow', async () => {
    const { send } = await signedServer();
    expect(await send('GET', '/either', '', [])).toEqual({ status: 200, body: { pubkey: null } });
    expect(await send('GET', '/signed/x', '', [])).toMatchObject(REFUSED);
  });

  it('is told with its signature and with the request that was signed', async () => {
    const { send, header } = await signedServer();
    const signature = header('POST', '/whole?a', BODY);
    const [, pubkey, ts, nonce, sig] = signature.split(' ');
    expect((await send('POST', '/whole?a', BODY, [signature])).body).toEqual({
      pubkey,
      ts: Number(ts),
      nonce,
      sig,
      request: { method: 'POST', path: '/whole?a', body: BODY },
    });
  });

  it('is told what to send instead', async () => {
    const { send, header } = await signedServer();
    const told = async (...sent: string[]) => (await send('GET', '/whole', '', sent)).body.message;
    const used = header('GET', '/whole', '');
    expect(await told()).toBe('Sign the request: "Mesh-Sig: v1 <pubkey> <ts> <nonce> <sig>".');
    expect(await told(used, used)).toBe('Send one Mesh-Sig header.');
    expect(await told(used)).toBeUndefined();
    expect(await told(used)).toBe('This nonce was used before: sign every request with a fresh one.');
  });
});
