import { setTimeout as pause } from 'node:timers/promises';
import { copyRow, createWord, grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

const LOOK_MS = 100;

/** Agents of the unified API with different words: the time to search and to look one up. */
export const agents: Grow = {
  name: 'agents',
  sizes: [10, 100, 1_000, 10_000, 100_000],
  at: (size) =>
    grown(
      (daemon) =>
        daemon.call('POST', '/v1/agents/register', {
          agent_id: 'grown-0',
          description: 'Paints lamps',
          capabilities: ['paint'],
        }),
      (store) => {
        copyRow(store, 'registry_agents', "agent_id = 'grown-0'", size - 1, {
          seq: '',
          key: "'grown-' || i",
          agent_id: "'grown-' || i",
          rid: "'grown-' || i",
          description: "'Paints ' || word(i) || ' and ' || word(i * 7 + 1) || ' on ' || word(i * 13 + 2)",
        });
        store.exec(
          `INSERT INTO registry_seen (seq, last_seen_ms)
             SELECT seq, (SELECT max(last_seen_ms) FROM registry_seen) FROM registry_agents WHERE seq NOT IN (SELECT seq FROM registry_seen);
           INSERT INTO registry_text (rowid, words) SELECT seq, agent_id || ' ' || description FROM registry_agents WHERE agent_id LIKE 'grown-%' AND agent_id <> 'grown-0'`,
        );
      },
      async ({ daemon, time }) => {
        const last = `/v1/search?q=${encodeURIComponent(`${createWord(size - 1)} ${createWord((size - 1) * 7 + 1)}`)}&limit=100`;
        const isFound = async () => (await daemon.call<{ count: number }>('GET', last)).count > 0;
        while (size > 1 && !(await isFound())) await pause(LOOK_MS);
        const some = Array.from({ length: 20 }, (_, i) => Math.floor((i * size) / 20));
        const search = await time(some.map((i) => `/v1/search?q=paints%20${createWord(i)}&limit=20`));
        const lookup = await time(some.map((i) => `/v1/agents/grown-${i}`));
        return { ms: { search, 'look one up': lookup }, megabytes: daemon.residentBytes() / 1e6 };
      },
    ),
};
