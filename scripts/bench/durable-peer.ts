/**
 * A bare Fastify in a separate process with one route that stores the received data. Variants: `commit`, one commit for
 * each request; `group`, the daemon's store, which commits once per event loop tick; `none`, no storage, which shows
 * the cost of the rest of a request. Reports its port to the parent process.
 */

import Fastify from 'fastify';
import { openSqlite } from '../../daemon/storage/database/sqlite.js';
import { importSqlAsText } from './sql-as-text.js';

const TABLE = 'CREATE TABLE kept (seq INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, capabilities TEXT NOT NULL)';
const INSERT = 'INSERT INTO kept (agent_id, capabilities) VALUES (?, ?)';

type Keep = (agentId: string, capabilities: string) => unknown;

const KEEPERS: Readonly<Record<string, (file: string) => Promise<Keep>>> = {
  async commit(file) {
    const sqlite = openSqlite(file);
    for (const pragma of ['journal_mode = WAL', 'synchronous = FULL']) sqlite.pragma(pragma);
    sqlite.exec(TABLE);
    const insert = sqlite.prepare(INSERT);
    return (...row) => insert.run(...row);
  },
  async group(file) {
    importSqlAsText();
    const { Database } = await import('../../daemon/storage/database/database.js');
    const database = new Database(file);
    database.sql(TABLE).run();
    return (...row) => database.write(() => database.sql(INSERT).run(...row));
  },
  none: async () => () => undefined,
};

const [, , kind = '', file = ''] = process.argv;
const keep = await KEEPERS[kind]?.(file);
if (!keep) throw new Error(`There is no way "${kind}" to keep something.`);
const app = Fastify();
app.post<{ Body: { agent_id: string; capabilities: string[] } }>(
  '/',
  {
    schema: {
      body: {
        type: 'object',
        required: ['agent_id', 'capabilities'],
        additionalProperties: false,
        properties: {
          agent_id: { type: 'string', maxLength: 64 },
          capabilities: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
  async ({ body }) => {
    await keep(body.agent_id, JSON.stringify(body.capabilities));
    return { agent_id: body.agent_id };
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ port: (app.server.address() as { port: number }).port });
