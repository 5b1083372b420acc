import type SQLite from 'better-sqlite3';

type Value = string | number | Buffer | null;

interface Column {
  name: string;
  type: string;
  /** 0 for a plain column. Hidden and generated columns take no value. */
  hidden: number;
}

const ROWS = 2;

/** Values that constraints require, by table and column; the row's number is 1 or 2. */
const ASKED: Readonly<Record<string, Readonly<Record<string, (row: number) => Value>>>> = {
  worktrees: { state: () => 'ready' },
  till_accounts: { kind: (row) => (row === 1 ? 'chain' : 'balance'), lamports: () => 0, moves: () => 0 },
  till_journal: { from_account: () => 1, to_account: () => 2 },
  till_signatures: { spent_on: (row) => (row === 1 ? 'proof' : 'unmatched') },
};
/** Tables that hold at most one row. */
const SINGLE = new Set(['chain_genesis', 'spending_caps', 'roadmap_run', 'network_state']);

/**
 * Returns the value of a column in row `row`. Texts and numbers are the same in every table, so that each row finds the
 * rows it refers to.
 */
function getWord(table: string, { name, type }: Column, row: number): Value {
  const asked = ASKED[table]?.[name];
  if (asked) return asked(row);
  if (type === 'INTEGER') return row;
  if (type === 'REAL') return row / 2;
  if (type === 'BLOB') return Buffer.from([row]);
  return `word${row}`;
}

/** Returns the tables to fill, own tables and full-text tables, in order of creation. */
function tables(database: SQLite.Database): string[] {
  const names = database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT " +
        "LIKE 'sqlite_%'",
    )
    .pluck()
    .all() as string[];
  const order = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all() as string[];
  return order.filter((name) => names.includes(name));
}

/** Inserts rows into every table of a store, whatever its schema, within its constraints. */
export function fillEveryTable(database: SQLite.Database): void {
  for (const table of tables(database)) {
    // A trigger fills this table from the posts.
    if (table === 'post_places') continue;
    const columns = listColumns(database, table);
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const insert = database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
    for (let row = 1; row <= (SINGLE.has(table) ? 1 : ROWS); row += 1)
      insert.run(columns.map((column) => getWord(table, column, row)));
  }
}

/** Where the data of a column of an earlier schema is in the current one. */
const MOVED: Readonly<Record<string, string>> = {
  'turns.context_docs': "coalesce((SELECT documents FROM turn_documents AS moved WHERE moved.turn = turns.turn), '[]')",
  'asks.context_docs':
    "coalesce((SELECT documents FROM ask_documents AS moved WHERE moved.request_id = asks.request_id), '[]')",
};

const listColumns = (database: SQLite.Database, table: string) =>
  (database.prepare('SELECT name, type, hidden FROM pragma_table_xinfo(?)').all(table) as Column[]).filter(
    ({ hidden }) => hidden === 0,
  );

/**
 * Returns every row of every table of `like`, by the columns of `like`. For full-text tables it returns which rows
 * match each word.
 */
export function rowsOfEveryTable(database: SQLite.Database, like = database): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const table of tables(like)) {
    const present = new Set(listColumns(database, table).map(({ name }) => name));
    const names = listColumns(like, table).map(({ name }) =>
      present.has(name) ? `"${name}"` : (MOVED[`${table}.${name}`] ?? `"${name}"`),
    );
    const isText = /_text$/.test(table);
    found[table] = isText
      ? Array.from({ length: ROWS }, (_, at) =>
          database.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`).all(`word${at + 1}`),
        )
      : database
          .prepare(`SELECT ${names.join(', ')} FROM "${table}" ORDER BY ${names.slice(0, 2).join(', ')}`)
          .raw()
          .all();
  }
  const counters = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'";
  if (like.prepare(counters).pluck().get() === 1) {
    // A later schema may have counters for more tables.
    const before = new Set(like.prepare('SELECT name FROM sqlite_sequence').pluck().all());
    const rows = database.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').all() as { name: string }[];
    found['sqlite_sequence'] = rows.filter(({ name }) => before.has(name));
  }
  return found;
}
