/**
 * The peers of the http bench in a separate process: `hello`, a bare Fastify that responds with one word; `helmet`, a
 * Fastify with a usual setup (helmet's headers, `jose` for the bearer token, a prepared lookup, a response schema) that
 * does what the daemon's lookup does; and `bytes`, which responds to a fixed number of bytes with fixed bytes and so
 * shows the limit of the load itself. Reports its port, and the bearer token to send, to the parent process.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify';
import { jwtVerify, SignJWT } from 'jose';
import { openSqlite } from '../../daemon/storage/database/sqlite.js';

interface Listening {
  port: number;
  token?: string;
}

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

async function hello(): Promise<Listening> {
  const app = Fastify();
  const response = { 200: { type: 'object', properties: { hello: { type: 'string' } } } };
  app.get('/', { schema: { response } }, async () => ({ hello: 'world' }));
  return { port: await listen(app) };
}

async function helmet(): Promise<Listening> {
  const name = new URL('./node_modules/@fastify/helmet/index.js', import.meta.url).href;
  const { default: plugin } = (await import(name)) as { default: FastifyPluginCallback };
  const database = openSqlite(':memory:');
  database.exec(`CREATE TABLE agents (agent_id TEXT PRIMARY KEY, rid TEXT NOT NULL);
    CREATE TABLE contacts (owner TEXT NOT NULL, agent_id TEXT NOT NULL);
    INSERT INTO agents VALUES ('asking-agent', 'r-1'), ('lamp-agent', 'r-2');
    INSERT INTO contacts VALUES ('asking-agent', 'lamp-agent')`);
  const registration = database.prepare('SELECT rid FROM agents WHERE agent_id = ?').pluck();
  const contacts = database.prepare('SELECT agent_id FROM contacts WHERE owner = ?').pluck();
  const key = createSecretKey(randomBytes(32));
  const app = Fastify();
  await app.register(plugin);
  app.decorateRequest('agent', '');
  const item = { type: 'object', properties: { agent_id: { type: 'string' }, online: { type: 'boolean' } } };
  const answer = {
    type: 'object',
    properties: { contacts: { type: 'array', items: item }, count: { type: 'integer' } },
  };
  app.get(
    '/agents/contacts',
    {
      schema: { response: { 200: answer } },
      onRequest: async (request) => {
        const { payload } = await jwtVerify(request.headers.authorization?.slice(7) ?? '', key, {
          algorithms: ['HS256'],
          audience: 'hub',
        });
        if (registration.get(payload.sub) !== payload['rid']) throw new Error('unauthorized');
        (request as unknown as { agent: string }).agent = payload.sub ?? '';
      },
    },
    async (request) => {
      const ids = contacts.all((request as unknown as { agent: string }).agent) as string[];
      return { contacts: ids.map((agent_id) => ({ agent_id, online: true })), count: ids.length };
    },
  );
  const token = await new SignJWT({ rid: 'r-1' })
    .setProtectedHeader({ alg: 'HS256', typ: 'hub+jwt' })
    .setIssuer('bench')
    .setAudience('hub')
    .setSubject('asking-agent')
    .setIssuedAt()
    .setExpirationTime('24h')
    .sign(key);
  return { port: await listen(app), token };
}

/** Responds to each request with the same bytes. The length of a request is that of the first, up to its blank line. */
async function bytes(): Promise<Listening> {
  const answer = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n${'x'.repeat(200)}`);
  const server = createServer((socket) => {
    let lengthOfOne = 0;
    let received = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (lengthOfOne === 0) lengthOfOne = chunk.indexOf('\r\n\r\n') + 4;
      received += chunk.length;
      const whole = Math.floor(received / lengthOfOne);
      received -= whole * lengthOfOne;
      socket.write(whole === 1 ? answer : Buffer.concat(Array<Buffer>(whole).fill(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

const kinds = { hello, helmet, bytes };
const listening = await kinds[process.argv[2] as keyof typeof kinds]();
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.(listening);
