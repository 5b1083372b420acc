import type { BoardKind } from '../../contract/boards.js';
import type { Props } from '../../contract/clusters.js';
import type { Database } from '../../storage/database/database.js';

/** A stored board. Times are epoch seconds. */
export interface BoardRow {
  seq: number;
  id: string;
  cluster: string;
  slug: string;
  name: string;
  kind: BoardKind;
  about: string;
  props: Props | null;
  created_at: number;
}

type Row = Omit<BoardRow, 'props'> & { props: string | null };

const toBoard = (row: Row): BoardRow => ({
  ...row,
  props: row.props === null ? null : (JSON.parse(row.props) as Props),
});

/** The boards of all clusters. Methods that write must be called only by deciders of commands. */
export class BoardsStore {
  constructor(private readonly database: Database) {}

  /** A board of the cluster by id or slug. No slug has the form of an id. */
  find(cluster: string, idOrSlug: string): BoardRow | undefined {
    const row = this.database
      .sql('SELECT * FROM boards WHERE cluster = ? AND (slug = ? OR id = ?)')
      .get(cluster, idOrSlug, idOrSlug);
    return row === undefined ? undefined : toBoard(row as Row);
  }

  /** The cluster's boards in order of creation. */
  list(cluster: string): BoardRow[] {
    return (this.database.sql('SELECT * FROM boards WHERE cluster = ? ORDER BY seq').all(cluster) as Row[]).map(
      toBoard,
    );
  }

  count(cluster: string): number {
    return (this.database.sql('SELECT count(*) AS n FROM boards WHERE cluster = ?').get(cluster) as { n: number }).n;
  }

  insert(board: Omit<BoardRow, 'seq'>): void {
    this.database
      .sql(
        `INSERT INTO boards (id, cluster, slug, name, kind, about, props, created_at)
         VALUES (@id, @cluster, @slug, @name, @kind, @about, @props, @created_at)`,
      )
      .run({ ...board, props: board.props && JSON.stringify(board.props) });
  }

  put({ seq, name, about, props }: Pick<BoardRow, 'seq' | 'name' | 'about' | 'props'>): void {
    this.database
      .sql('UPDATE boards SET name = ?, about = ?, props = ? WHERE seq = ?')
      .run(name, about, props && JSON.stringify(props), seq);
  }

  /** Deletes the board with its posts. */
  remove(seq: number): void {
    this.database.sql('DELETE FROM boards WHERE seq = ?').run(seq);
  }

  /** Deletes the cluster's boards with their posts. */
  removeAll(cluster: string): void {
    this.database.sql('DELETE FROM boards WHERE cluster = ?').run(cluster);
  }
}
