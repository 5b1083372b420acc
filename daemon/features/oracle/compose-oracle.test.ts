import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RegistryRecord } from '../../contract/network/registry.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { heldOpen } from '../../testing/held-open.js';
import { openServer } from '../../testing/open-server.js';
import { StandInEmbeddings } from '../../testing/stand-ins/embedding-endpoint.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { composeOracle } from './compose-oracle.js';
import { Impressions } from './impressions.js';
import { OracleStore } from './oracle-store.js';
import { Responses } from './responses.js';
import type { Surfaces } from './united-catalog.js';

/** Agent search over a hub with one agent, `one`, and the given records of the unified API. */
async function composed(environment: Record<string, string>, records: readonly Partial<RegistryRecord>[] = []) {
  const folder = temporaryFolder();
  const database = new Database(join(folder, 'mesh.db'));
  onTestFinished(() => database.close());
  const store = new OracleStore(database);
  const clock = new FakeClock();
  const agent = {
    agent_id: 'one',
    description: 'Soup.',
    capabilities: [],
    card: null,
    lastSeenMs: 0,
    registeredMs: 9_000,
  };
  const find = (agentId: string) => (agentId === 'one' ? agent : undefined);
  const nothing = { onChanged: () => undefined, onRemoved: () => undefined };
  const search = await composeOracle({
    app: await openServer(),
    store,
    impressions: new Impressions(store, clock),
    responses: new Responses(store, clock),
    clock,
    surfaces: {
      hub: { all: () => [agent], find, isOnline: (agentId: string) => agentId === 'one', ...nothing },
      registry: { all: () => records, find: () => records[0], isLive: () => false, ...nothing },
    } as unknown as Surfaces,
    getHistory: () => ({ reputation: 0.9, asked: 0, answered: 0, messagesThrough: 0 }),
    hasWallet: async () => true,
    environment,
    state: folder,
  });
  const ask = (query: string) => search.oracle.search({ query, filters: {}, explain: true });
  return { ...search, ask, cache: join(folder, 'embeddings.db') };
}

it('without an endpoint, agents are found by the vectors of the catalog and nothing is kept for one', async () => {
  const { oracle, start, stop, ask, cache } = await composed({ MESHD_PROMOTED_AGENTS: 'one=0.02' });
  start();
  await oracle.index.settled();
  const { agents, vectors } = await ask('soup');
  expect([vectors, agents[0]?.agent_id, agents[0]?.why?.promoted]).toEqual(['catalog', 'one', 0.02]);
  await stop();
  expect(existsSync(cache)).toBe(false);
});

it('what is known of an id that somebody else had first is not said of the agent that has it on the hub', async () => {
  const reputation = async (registered_at: number) => {
    const { start, ask } = await composed({}, [{ agent_id: 'one', registered: true, registered_at, endpoint: null }]);
    start();
    return (await ask('soup')).agents[0]?.why?.reputation;
  };
  expect([await reputation(10), await reputation(5)]).toEqual([0.9, null]);
});

it('with an endpoint, agents are found by its vectors, which are kept until the daemon stops', async () => {
  const standIn = await StandInEmbeddings.start((text) => [/soup|supper/i.test(text) ? 1 : 0, 0.1]);
  const { oracle, start, stop, ask, cache } = await composed({
    MESHD_EMBEDDINGS_URL: standIn.baseUrl,
    MESHD_EMBEDDINGS_MODEL: 'small',
  });
  start();
  await expect.poll(async () => (await ask('supper')).vectors).toBe('embeddings');
  expect((await ask('supper')).agents[0]?.agent_id).toBe('one');
  expect(standIn.texts).toContain('Soup.\n\n\n');
  expect(existsSync(cache)).toBe(true);
  await oracle.index.settled();
  await stop();
  expect(heldOpen(cache)).toEqual([]);
});

it('an endpoint that is configured wrongly is refused at the start', async () => {
  await expect(composed({ MESHD_EMBEDDINGS_URL: 'ftp://models.example' })).rejects.toThrow('MESHD_EMBEDDINGS_URL');
});
