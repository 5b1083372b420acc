/**
 * Files of a killed daemon, truncated at any byte or with any bit flipped. The store must open on each of them, report
 * damage, and contain no record that was never written. Of the committed records a prefix may be left, and of each
 * record all or nothing. Then whole daemons start with damaged credentials: each must start, or report which file is
 * damaged.
 *
 * `npx tsx scripts/hard/loss/torn-files.ts [--cuts 300] [--flips 300] [--starts 6] [--seed 1]`
 */
import '../../sql-as-text.js';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Drill, runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';

// Imported dynamically, after the import of SQL files was enabled.
const { Database } = await import('../../../daemon/storage/database/database.js');

const RECORDS = 60;
const createKey = (number: number) => `key-${String(number).padStart(4, '0')}`;
/** Values long enough that some records need overflow pages. */
const valueOfRecord = (number: number) => JSON.stringify(`${number} `.repeat(40 + (number % 7) * 200));

/** The bytes of a store: the database file and its write-ahead log, if it has one. */
interface Files {
  database: Buffer;
  log: Buffer | undefined;
}

const INSERT = "INSERT INTO idempotency (scope, key, body_sha256, response, created_ms) VALUES ('drill', ?, '', ?, 1)";
const SELECT = "SELECT key, response FROM idempotency WHERE scope = 'drill' ORDER BY key";

/**
 * Returns a store with its records in the write-ahead log, as after a kill, and one with its records in the database
 * file, as after a regular exit.
 */
async function written(folder: string): Promise<{ killed: Files; ended: Files }> {
  const path = join(folder, 'mesh.db');
  new Database(path).close();
  const database = new Database(path);
  for (let number = 0; number < RECORDS; number += 1) {
    await database.write(() => database.sql(INSERT).run(createKey(number), valueOfRecord(number)));
  }
  const killed = { database: readFileSync(path), log: readFileSync(`${path}-wal`) };
  database.close();
  return { killed, ended: { database: readFileSync(path), log: undefined } };
}

/** Result of opening a store. */
interface Opened {
  /** Why the store could not be opened, or could not be read although it reported itself as intact. */
  fault: string | undefined;
  isReadonly: boolean;
  /** Number of records that were never written in this form. */
  wrong: number;
  /** Number of records that exist. */
  found: number;
  /** A record is missing although a later one exists. */
  isGapped: boolean;
}

function open(folder: string, { database, log }: Files): Opened {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const path = join(folder, 'mesh.db');
  writeFileSync(path, database);
  if (log) writeFileSync(`${path}-wal`, log);
  const opened: Opened = { fault: undefined, isReadonly: false, wrong: 0, found: 0, isGapped: false };
  try {
    const store = new Database(path);
    opened.isReadonly = store.state === 'readonly';
    if (opened.isReadonly && store.problem === undefined) opened.fault = 'does not say why it is read-only';
    try {
      const rows = store.sql(SELECT).all() as { key: string; response: string }[];
      const known = new Map(Array.from({ length: RECORDS }, (_, number) => [createKey(number), valueOfRecord(number)]));
      opened.found = rows.length;
      opened.wrong = rows.filter(({ key, response }) => known.get(key) !== response).length;
      opened.isGapped = rows.some(({ key }, at) => key !== createKey(at));
    } catch (error) {
      if (!opened.isReadonly) opened.fault = `said to be sound, and then: ${error}`;
    }
    store.close();
  } catch (error) {
    opened.fault = `not opened: ${error}`;
  }
  return opened;
}

const cut = (bytes: Buffer, at: number) => Buffer.from(bytes.subarray(0, at));
const flipped = (bytes: Buffer, bit: number) => {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
};

/**
 * Damages one credential file of a project and starts a daemon. Returns the fault, or undefined when the daemon starts
 * or names the file.
 */
async function startOver(project: DrillProject, name: string, bytes: Buffer): Promise<string | undefined> {
  const path = join(project.root, '.mesh/credentials', name);
  const kept = `${path}.kept`;
  copyFileSync(path, kept);
  try {
    writeFileSync(path, bytes);
    const daemon = await project.start({});
    await daemon.call('GET', '/health');
    await daemon.stop();
    return undefined;
  } catch (error) {
    return String(error).includes(name) ? undefined : `did not start, and said: ${error}`;
  } finally {
    copyFileSync(kept, path);
    rmSync(kept);
  }
}

/** What the damaged stores of a drill showed. */
class Findings {
  readonly faults: string[] = [];
  readonly counts = { wrong: 0, gaps: 0, readonly: 0, unseen: 0 };

  take(what: string, opened: Opened): Opened {
    if (opened.fault !== undefined) this.faults.push(`${what}: ${opened.fault}`);
    if (opened.isReadonly) this.counts.readonly += 1;
    return opened;
  }

  /** Counts what a damaged log showed. */
  takeLog(what: string, opened: Opened): void {
    const { wrong, isGapped } = this.take(what, opened);
    this.counts.wrong += wrong;
    this.counts.gaps += Number(isGapped);
  }
}

/** Opens a store whose records are in the write-ahead log, with the log truncated or a bit of it flipped. */
function damageLog(drill: Drill, folder: string, killed: Files, findings: Findings): void {
  const { below } = drill.dice;
  const { counts } = findings;
  const log = killed.log as Buffer;
  for (let number = 0; number < drill.bound('cuts'); number += 1) {
    const at = below(log.length);
    findings.takeLog(`log cut at ${at}`, open(folder, { ...killed, log: cut(log, at) }));
  }
  for (let number = 0; number < drill.bound('flips'); number += 1) {
    const bit = below(log.length * 8);
    findings.takeLog(`bit ${bit} of the log turned`, open(folder, { ...killed, log: flipped(log, bit) }));
  }
  const message = `${drill.bound('cuts')} cuts and ${drill.bound('flips')} flips of a log of ${log.length} bytes`;
  drill.measure({
    measure: 'wrong records over a damaged log',
    value: counts.wrong,
    unit: 'records',
    exactly: 0,
    said: message,
  });
  drill.measure({
    measure: 'damaged logs of which not a beginning was left',
    value: counts.gaps,
    unit: 'logs',
    exactly: 0,
  });
}

/** Opens a store whose records are in the database file, with the file truncated or a bit of it flipped. */
function damageDatabase(drill: Drill, folder: string, ended: Files, findings: Findings): void {
  const { below } = drill.dice;
  const { faults, counts } = findings;
  for (let number = 0; number < drill.bound('flips'); number += 1) {
    const bit = below(ended.database.length * 8);
    const { wrong } = findings.take(
      `bit ${bit} of the database turned`,
      open(folder, { ...ended, database: flipped(ended.database, bit) }),
    );
    counts.unseen += Number(wrong > 0);
  }
  for (let number = 0; number < drill.bound('cuts'); number += 1) {
    const at = below(ended.database.length);
    const { wrong, isReadonly } = findings.take(
      `database cut at ${at}`,
      open(folder, { ...ended, database: cut(ended.database, at) }),
    );
    if (wrong > 0 && !isReadonly) faults.push(`database cut at ${at}: ${wrong} wrong records`);
  }
  const seen =
    `${counts.readonly} were found damaged and opened for reading; ${counts.unseen} turned bits changed a value, ` +
    'which SQLite has no checksum to see';
  drill.none('stores that did not open, or said they were sound and were not', 'stores', faults, seen);
}

/** Starts daemons with an empty, truncated or changed credential file. */
async function damageCredentials(drill: Drill): Promise<void> {
  const { below, pick } = drill.dice;
  const project = drill.project();
  const first = await project.start({});
  await first.call('POST', '/wallets', { name: 'payer' });
  await first.call('POST', '/rooms', { cluster_id: 'the-commons' });
  await first.stop();
  const credentials = join(project.root, '.mesh/credentials');
  const names = readdirSync(credentials).filter((name) => !name.startsWith('.'));
  const silent: string[] = [];
  for (let number = 0; number < drill.bound('starts'); number += 1) {
    const name = names[number % names.length] as string;
    const bytes = readFileSync(join(credentials, name));
    const how = pick(['empty', 'cut', 'flip']);
    const damaged =
      how === 'empty'
        ? Buffer.alloc(0)
        : how === 'cut'
          ? cut(bytes, below(bytes.length))
          : flipped(bytes, below(bytes.length * 8));
    const fault = await startOver(project, name, damaged);
    if (fault !== undefined) silent.push(`${name} (${how}): ${fault}`);
  }
  drill.none(
    `starts over damaged credentials that neither succeed nor say which file, of ${drill.bound('starts')}`,
    'starts',
    silent,
    names.join(', '),
  );
}

await runDrill('torn-files', async (drill) => {
  const folder = drill.project().folder('store');
  const { killed, ended } = await written(folder);
  const findings = new Findings();
  damageLog(drill, folder, killed, findings);
  damageDatabase(drill, folder, ended, findings);
  await damageCredentials(drill);
});
