import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import type { AdoptableGroup, AdoptGroup } from '../contract/foreign-state.js';
import { getErrorMessage, isMeshError } from '../lib/errors.js';
import { checkPrivateDatabase, checkPrivateFile, readPrivateSync } from '../private/private-file.js';
import type { CredentialName, StateName } from '../private/private-names.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { findForeignSchema, quickCheck } from '../storage/database/store-schema.js';

type FileGroup = 'tokens' | 'keys' | 'wallets' | 'clusters' | 'settings';

/** The files of each group, as paths below `.mesh`. */
export const FILES: Readonly<Record<FileGroup, readonly (`credentials/${CredentialName}` | `state/${StateName}`)[]>> = {
  tokens: [
    'credentials/team-tokens.json',
    'state/exposure.json',
    'credentials/house-agents.json',
    'credentials/a2a-push.json',
  ],
  keys: [
    'credentials/identity.key',
    'credentials/hub.key',
    'credentials/v1.key',
    'credentials/till.key',
    'credentials/agents.json',
    'credentials/api-key',
  ],
  wallets: ['credentials/wallets.json', 'credentials/deposits.json'],
  clusters: ['credentials/clusters.json', 'credentials/commons.json', 'credentials/rooms.json'],
  settings: [
    'state/preferences.json',
    'state/member-tests.json',
    'state/house-agents.json',
    'state/imports.json',
    'state/imports',
    'state/port',
  ],
};
export const RECORDS = 'state/mesh.db';

const TITLES: Readonly<Record<AdoptGroup, string>> = {
  tokens: "members' tokens, and whom you agreed to expose: programs that hold a token can ask your members",
  keys: 'keys: what this daemon signs with, agents that you registered, the key of a model provider',
  wallets: 'wallets and deposits: money that your members earn and spend',
  clusters: 'tokens of clusters that you joined or made',
  settings: 'settings, results of tests, notes on imported members, the port',
  records: 'records: conversations, requests, posts, agents, payments',
  turns: 'queued work and schedules: it starts with the next `meshd up`',
  permissions: 'permissions: what programs may do without asking you again',
  calls: 'calls under way, transfers that were not sent, addresses that are notified',
};

/** Rows of the store that cause actions, and how to disable them. */
interface ActingRows {
  table: string;
  where: string;
  what: string;
  /** The assignments that disable the rows; undefined to delete them. */
  set?: string;
}

export const ACTING: Readonly<Record<'turns' | 'permissions' | 'calls', readonly ActingRows[]>> = {
  turns: [
    {
      table: 'turns',
      where: "state <> 'ended'",
      what: 'queued turns',
      set:
        "state = 'ended', outcome = 'cancelled', code = 'cancelled', reason = 'It was not taken over.', " +
        'finished_ms = @now',
    },
    {
      table: 'asks',
      where: "status IN ('queued', 'running', 'needs_input')",
      what: 'requests under way',
      set: "status = 'error', error_code = 'cancelled', error_message = 'It was not taken over.', finished_ms = @now",
    },
    {
      table: 'schedules',
      where: 'paused = 0',
      what: 'schedules',
      set: "paused = 1, paused_reason = 'It was not taken over.', updated_ms = @now",
    },
    {
      table: 'schedule_runs',
      where: "state IN ('waiting', 'running')",
      what: 'runs of schedules',
      set: "state = 'skipped', code = 'cancelled', reason = 'It was not taken over.', at_ms = @now",
    },
  ],
  permissions: [
    { table: 'permissions', where: "decision IS NULL OR decision LIKE 'allow%'", what: 'permissions' },
    { table: 'permission_rules', where: 'TRUE', what: 'permission rules' },
  ],
  calls: [
    { table: 'calls', where: "state IN ('running', 'waiting')", what: 'calls under way' },
    {
      table: 'wallet_transfers',
      where: "state = 'signed'",
      what: 'transfers that were not sent',
      set: "state = 'refused', updated_ms = @now",
    },
    {
      table: 'spent_payments',
      where: 'wire IS NOT NULL',
      what: 'payments that were not sent',
      set: 'wire = NULL, updated_ms = @now',
    },
    { table: 'a2a_push_configs', where: 'TRUE', what: 'addresses that are notified' },
  ],
};
const TABLES = ['conversations', 'messages', 'asks', 'posts', 'hub_agents', 'registry_agents', 'clusters'] as const;

const isMissingTable = (error: unknown) => /no such table/.test(getErrorMessage(error));

function countRows(store: SQLite.Database, sql: string): number {
  try {
    return store.prepare(sql).pluck().get() as number;
  } catch (error) {
    // Written by an earlier version, which had no such table.
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

const present = (counts: readonly (readonly [number, string])[]) =>
  counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);

/** Describes a file of secrets by its name and, for JSON, the number of its entries, never by their content. */
function listEntries(path: string, name: string): string[] {
  try {
    const value: unknown = JSON.parse(readPrivateSync(path) ?? 'null');
    if (typeof value === 'object' && value !== null && name.endsWith('.json'))
      return [`${name} (${Object.keys(value).length})`];
  } catch (error) {
    if (isMeshError(error)) throw error;
    // A key file, which is not JSON.
  }
  return [name];
}

function describeFiles(folder: string, group: FileGroup): AdoptableGroup {
  const holds: string[] = [];
  try {
    for (const path of FILES[group]) {
      const [, name = ''] = path.split('/');
      if (path === 'state/imports') {
        const texts = listImportTexts(folder);
        if (texts.length > 0) holds.push(`texts of imported members (${texts.length})`);
      } else if (checkPrivateFile(join(folder, path))) holds.push(...listEntries(join(folder, path), name));
    }
    return { group, title: TITLES[group], holds };
  } catch (error) {
    return { group, title: TITLES[group], holds, problem: getErrorMessage(error) };
  }
}

/** Returns the paths, below the folder, of the texts of imported members. */
export function listImportTexts(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'state/imports'))
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .map((name) => `state/imports/${name}`);
  } catch {
    return [];
  }
}

function describeRecords(path: string): AdoptableGroup[] {
  const groups: AdoptGroup[] = ['records', 'turns', 'permissions', 'calls'];
  const empty = groups.map((group): AdoptableGroup => ({ group, title: TITLES[group], holds: [] }));
  let store: SQLite.Database | undefined;
  try {
    if (!checkPrivateDatabase(path)) return empty;
    store = openSqlite(path, { readonly: true, fileMustExist: true });
    store.pragma('trusted_schema = OFF');
    const problem = quickCheck(store) ?? findForeignSchema(store);
    if (problem !== undefined) throw new Error(problem);
    const rows = TABLES.map((table): [number, string] => [
      countRows(store as SQLite.Database, `SELECT count(*) FROM ${table}`),
      table.replaceAll('_', ' '),
    ]);
    const acting = groups.slice(1).map((group): AdoptableGroup => {
      const counts = ACTING[group as keyof typeof ACTING].map(({ table, where, what }): [number, string] => [
        countRows(store as SQLite.Database, `SELECT count(*) FROM ${table} WHERE ${where}`),
        what,
      ]);
      return { group, title: TITLES[group], holds: present(counts) };
    });
    return [{ group: 'records', title: TITLES.records, holds: ['mesh.db', ...present(rows)] }, ...acting];
  } catch (error) {
    return [
      { group: 'records', title: TITLES.records, holds: ['mesh.db'], problem: getErrorMessage(error) },
      ...empty.slice(1),
    ];
  } finally {
    store?.close();
  }
}

/**
 * Describes the content of the folder `folder` of foreign state, group by group. Does not follow links and
 * does not change the content.
 */
export function describeForeign(folder: string): AdoptableGroup[] {
  const files = (Object.keys(FILES) as FileGroup[]).map((group) => describeFiles(folder, group));
  return [...files, ...describeRecords(join(folder, RECORDS))];
}
