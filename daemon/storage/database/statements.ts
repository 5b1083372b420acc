import type SQLite from 'better-sqlite3';

/** The prepared statements of a database, each prepared once: that takes longer than most of them run. */
export class Statements {
  private readonly prepared = new Map<string, SQLite.Statement>();

  constructor(private readonly sqlite: SQLite.Database) {}

  of(text: string): SQLite.Statement {
    let statement = this.prepared.get(text);
    if (!statement) {
      statement = this.sqlite.prepare(text);
      this.prepared.set(text, statement);
    }
    return statement;
  }
}
