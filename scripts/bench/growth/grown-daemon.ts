/**
 * A daemon with a given number of rows of a kind. The first row is created through the API, the others are copies of it
 * in its store.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { median } from '../measure.js';

type Store = ReturnType<typeof openSqlite>;

const SYLLABLES = 'ba de fi go hu ka le mi no pu ra se ti vo zu lo'.split(' ');

/** Returns one of 4,096 words, the same for the same number, so that a search finds some rows and not all. */
export function createWord(number: number): string {
  const mixed = Math.imul(number + 1, 2_654_435_761) >>> 20;
  return `${SYLLABLES[mixed >> 8]}${SYLLABLES[(mixed >> 4) & 15]}${SYLLABLES[mixed & 15]}`;
}

/**
 * Copies the row of `table` that matches the SQL condition `which`, the newest if several match, `count` times. A
 * column named in `changes` gets the value of that SQL expression, in which `i` is the number of the copy from 1 to
 * `count`. A column with an empty expression is left to the store.
 */
export function copyRow(
  store: Store,
  table: string,
  which: string,
  count: number,
  changes: Readonly<Record<string, string>>,
): void {
  const columns = (store.pragma(`table_info(${table})`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => changes[name] !== '');
  const values = columns.map((name) => changes[name] ?? `one.${name}`);
  store
    .prepare(
      `INSERT INTO ${table} (${columns.join(', ')})
       WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
       SELECT ${values.join(', ')} FROM numbers CROSS JOIN (SELECT * FROM ${table} WHERE ${which} ORDER BY rowid DESC LIMIT 1) AS one`,
    )
    .run(count);
}

interface Grown {
  daemon: DaemonProcess;
  root: string;
  /** Returns the median milliseconds of a response to each of `paths`, after one round that is not counted. */
  time(paths: readonly string[]): Promise<number>;
}

const TIMES = 5;

/**
 * Starts a daemon for `begin`, fills its store with `fill`, and runs `measure` over a second daemon with the result of
 * `begin`.
 */
export async function grown<Seed, Result>(
  begin: (daemon: DaemonProcess, root: string) => Promise<Seed>,
  fill: (store: Store, seed: Seed) => void,
  measure: (grown: Grown, seed: Seed) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), 'meshd-growth-'));
  execFileSync('git', ['init', '-q'], { cwd: root });
  const environment = { PATH: process.env['PATH'], HOME: root };
  let daemon = await DaemonProcess.start(root, environment);
  try {
    const seed = await begin(daemon, root);
    await daemon.stop();
    const store = openSqlite(join(root, '.mesh/state/mesh.db'));
    store.function('word', { deterministic: true }, (number: unknown) => createWord(Number(number)));
    store.transaction(() => fill(store, seed))();
    store.pragma('wal_checkpoint(TRUNCATE)');
    store.close();
    daemon = await DaemonProcess.start(root, environment);
    const time = async (paths: readonly string[]) => {
      const times: number[] = [];
      for (let round = 0; round <= TIMES; round += 1) {
        for (const path of paths) {
          const startedMs = performance.now();
          await daemon.call('GET', path);
          if (round > 0) times.push(performance.now() - startedMs);
        }
      }
      return median(times);
    };
    return await measure({ daemon, root, time }, seed);
  } finally {
    await daemon.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
