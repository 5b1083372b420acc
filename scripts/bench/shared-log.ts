/**
 * Measures what the embedded log costs: registrations written as commands (`EmbeddedLog.submit`) beside the same writes
 * without a log (`Database.write`), 50 in flight, in interleaved rounds over two stores in one process. The log does no
 * input or output of its own, so writes are counted for a second of processor time: the disk and other programs would
 * only hide the difference. Usage: `npx tsx scripts/bench/shared-log.ts [--rounds 3]`, half a minute.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../../daemon/lib/time/clock.js';
import { median, report, rounded } from './measure.js';
import { importSqlAsText } from './sql-as-text.js';

importSqlAsText();
const { Type } = await import('typebox');
const { Database } = await import('../../daemon/storage/database/database.js');
const { createChanges } = await import('../../daemon/shared-log/embedded-log.js');
const { ANY_DAEMON, commandKind } = await import('../../daemon/shared-log/command-kinds.js');
const { RegistryStore } = await import('../../daemon/features/registry/registry-store.js');

const at = process.argv.indexOf('--rounds');
const ROUNDS = at === -1 ? 3 : Number(process.argv[at + 1]);
/** A pair of slices, one of each way, is short, so that other work on the machine slows both alike. */
const SLICE_MS = 250;
const PAIRS = ROUNDS > 1 ? 16 : 4;
const IN_FLIGHT = 50;
const GOAL = 0.97;

type Write = (agentId: string) => Promise<unknown>;

const row = (agent_id: string, nowMs: number) => ({
  agent_id,
  rid: 'a-registration-of',
  api_key_hash: Buffer.alloc(32),
  description: 'Switches the harbour lights on at dusk and off at dawn.',
  capabilities: ['light.switch'],
  endpoint: 'https://lamp.example/agent',
  agent_card: null,
  pubkey: null,
  is_verified: false,
  avail_status: null,
  registered_ms: nowMs,
  last_seen_ms: nowMs,
  catalog: null,
});

function openWays(folder: string): { none: Write; embedded: Write; close: () => void } {
  const [plain, logged] = ['plain', 'logged'].map((name) => new Database(join(folder, `${name}.db`))) as [
    InstanceType<typeof Database>,
    InstanceType<typeof Database>,
  ];
  const [plainStore, loggedStore] = [new RegistryStore(plain), new RegistryStore(logged)];
  const { kinds, log } = createChanges({ database: logged, clock, pubkey: '' });
  const body = Type.Object({ revision: Type.Integer() });
  kinds.define({
    'bench.put': commandKind(body, (_, command) => loggedStore.put(row(command.entity, command.at)), ANY_DAEMON),
  });
  return {
    none: (agentId) => plain.write(() => plainStore.put(row(agentId, clock.now()))),
    embedded: async (agentId) => log.submit('bench.put', agentId, { revision: 1 }),
    close() {
      plain.close();
      logged.close();
    },
  };
}

/** Writes with `IN_FLIGHT` at a time for one slice. Returns writes in a second of processor time. */
async function measureRate(write: Write, prefix: string): Promise<number> {
  const startMs = performance.now();
  const started = process.cpuUsage();
  let count = 0;
  const line = async () => {
    while (performance.now() - startMs < SLICE_MS) await write(`${prefix}-${count++}`);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, line));
  const { user, system } = process.cpuUsage(started);
  return count / ((user + system) / 1e6);
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-shared-log-'));
const ways = openWays(folder);
const rates = { none: [] as number[], embedded: [] as number[] };
const ratios: number[] = [];
try {
  // The first round is a warm-up.
  for (let round = -1; round < ROUNDS; round += 1) {
    const pairs: number[] = [];
    const found = { none: [] as number[], embedded: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const order = pair % 2 === 0 ? (['none', 'embedded'] as const) : (['embedded', 'none'] as const);
      for (const way of order) found[way].push(await measureRate(ways[way], `${way}-${round}-${pair}`));
      pairs.push((found.embedded.at(-1) as number) / (found.none.at(-1) as number));
    }
    if (round < 0) continue;
    ratios.push(median(pairs));
    for (const way of ['none', 'embedded'] as const) rates[way].push(median(found[way]));
  }
} finally {
  ways.close();
  rmSync(folder, { recursive: true, force: true });
}
report({
  bench: 'shared-log',
  measure: 'registrations as commands of the embedded log',
  unit: '/s of processor time',
  ours: rounded(median(rates.embedded), 0),
  min: rounded(Math.min(...rates.embedded), 0),
  max: rounded(Math.max(...rates.embedded), 0),
  peer: { name: 'written without a log', value: rounded(median(rates.none), 0) },
  ratio: rounded(median(ratios), 2),
  rounds: ROUNDS,
  goal: `>= ${GOAL}×`,
  pass: median(ratios) >= GOAL,
});
