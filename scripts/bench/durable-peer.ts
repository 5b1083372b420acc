/** What the durable bench compares with: a bare Fastify route that does one durable SQLite insert for each request. Tells its port to its parent. */
import SQLite from 'better-sqlite3';
import Fastify from 'fastify';

const sqlite = new SQLite(process.argv[2] as string);
sqlite.pragma('journal_mode = WAL');
sqlite.pragma('synchronous = FULL');
sqlite.exec('CREATE TABLE agents (seq INTEGER PRIMARY KEY, agent_id TEXT NOT NULL UNIQUE, capabilities TEXT NOT NULL)');
const insert = sqlite.prepare('INSERT INTO agents (agent_id, capabilities) VALUES (?, ?)');

const app = Fastify();
app.post<{ Body: { agent_id: string; capabilities: string[] } }>(
  '/agents/register',
  {
    schema: {
      body: {
        type: 'object',
        required: ['agent_id', 'capabilities'],
        additionalProperties: false,
        properties: { agent_id: { type: 'string', maxLength: 64 }, capabilities: { type: 'array', items: { type: 'string' } } },
      },
    },
  },
  async ({ body }) => {
    insert.run(body.agent_id, JSON.stringify(body.capabilities));
    return { agent_id: body.agent_id };
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as { port: number };
process.send?.({ type: 'listening', port });
