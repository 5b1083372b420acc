type Value = string | number;

/** The conditions of a query, joined by AND, and the values of their placeholders in the same order. */
export class Conditions {
  readonly values: Value[] = [];
  private readonly clauses: string[] = [];

  /** Adds a condition, unless one of its values is undefined. */
  and(clause: string, ...given: readonly (Value | undefined)[]): this {
    const values = given.filter((value) => value !== undefined);
    if (values.length < given.length) return this;
    this.clauses.push(clause);
    this.values.push(...values);
    return this;
  }

  /** Adds the condition that one of `columns` contains `text`, unless `text` is undefined or blank. */
  andContains(columns: readonly string[], text: string | undefined): this {
    const words = text?.trim() ?? '';
    if (words === '') return this;
    const like = `%${words.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
    const clause = columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ');
    return this.and(`(${clause})`, ...columns.map(() => like));
  }

  /** The WHERE clause; empty without conditions. */
  get where(): string {
    return this.clauses.length === 0 ? '' : `WHERE ${this.clauses.join(' AND ')}`;
  }
}
