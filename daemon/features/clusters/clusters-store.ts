import type { Props, Visibility } from '../../contract/clusters.js';
import type { Database } from '../../storage/database/database.js';
import { forgetAnswersAbout, type IdempotencyKey, onceShared } from '../../storage/database/idempotency.js';

/** A stored cluster. Private clusters have no slug, since the shared namespace would reveal their existence. */
export interface ClusterRow {
  seq: number;
  id: string;
  slug: string | null;
  name: string;
  topic: string;
  description: string;
  visibility: Visibility;
  boards_enabled: boolean;
  props: Props | null;
  createdMs: number;
}

/** SHA-256 digests of a cluster's credentials. */
export interface ClusterDigests {
  token: Buffer | null;
  admin: Buffer | null;
}

/** The scope of the Idempotency-Keys of cluster creation. */
export const CREATION_KEYS = 'cluster create';

type Row = Omit<ClusterRow, 'boards_enabled' | 'props'> & { boards_enabled: number; props: string | null };

const COLUMNS = `seq, id, slug, name, topic, description, visibility, boards_enabled, props, created_ms AS createdMs`;

/**
 * Clusters, the digests of their credentials, and every slug that was ever assigned. Methods that write must be called
 * only by deciders of commands.
 */
export class ClustersStore {
  constructor(private readonly database: Database) {}

  get isWritable(): boolean {
    return this.database.state === 'ok';
  }

  /** Runs `change` at most once per key. */
  once<T>(key: IdempotencyKey | undefined, nowMs: number, change: () => T): T {
    return onceShared(this.database, key, nowMs, change);
  }

  insert(row: Omit<ClusterRow, 'seq'>, digests: ClusterDigests): void {
    this.database
      .sql(
        `INSERT INTO clusters (id, slug, name, topic, description, visibility, boards_enabled, props, token_sha256, admin_sha256, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        row.id,
        row.slug,
        row.name,
        row.topic,
        row.description,
        row.visibility,
        row.boards_enabled ? 1 : 0,
        toText(row.props),
        digests.token,
        digests.admin,
        row.createdMs,
      );
  }

  setRules(id: string, boardsEnabled: boolean, props: Props | null): void {
    this.database
      .sql('UPDATE clusters SET boards_enabled = ?, props = ? WHERE id = ?')
      .run(boardsEnabled ? 1 : 0, toText(props), id);
  }

  setDigests(id: string, { token, admin }: ClusterDigests): void {
    this.database.sql('UPDATE clusters SET token_sha256 = ?, admin_sha256 = ? WHERE id = ?').run(token, admin, id);
  }

  /**
   * Deletes the cluster and returns whether it existed. Its slug stays reserved. The Idempotency-Key that created it is
   * deleted, so that no replay returns its id.
   */
  remove(id: string): boolean {
    forgetAnswersAbout(this.database, CREATION_KEYS, id);
    return this.database.sql('DELETE FROM clusters WHERE id = ?').run(id).changes === 1;
  }

  find(id: string): ClusterRow | undefined {
    return ifThere(this.database.sql(`SELECT ${COLUMNS} FROM clusters WHERE id = ?`).get(id));
  }

  /**
   * The `seq` of the cluster that currently has the id. A cluster recreated under the same id has a different `seq`.
   */
  getSeq(id: string): number | undefined {
    return this.database.sql('SELECT seq FROM clusters WHERE id = ?').pluck().get(id) as number | undefined;
  }

  findBySlug(slug: string): ClusterRow | undefined {
    return ifThere(this.database.sql(`SELECT ${COLUMNS} FROM clusters WHERE slug = ?`).get(slug));
  }

  findWithDigests(id: string): { cluster: ClusterRow; digests: ClusterDigests } | undefined {
    const found = this.database
      .sql(`SELECT ${COLUMNS}, token_sha256 AS token, admin_sha256 AS admin FROM clusters WHERE id = ?`)
      .get(id) as (Row & ClusterDigests) | undefined;
    if (!found) return undefined;
    const { token, admin, ...row } = found;
    return { cluster: toCluster(row), digests: { token, admin } };
  }

  /** Public clusters with a `seq` above `afterSeq`, oldest first. */
  listPublic(afterSeq: number, limit: number): ClusterRow[] {
    const rows = this.database
      .sql(`SELECT ${COLUMNS} FROM clusters WHERE visibility = 'public' AND seq > ? ORDER BY seq LIMIT ?`)
      .all(afterSeq, limit) as Row[];
    return rows.map(toCluster);
  }

  countPublic(): number {
    const count = this.database.sql(`SELECT count(*) FROM clusters WHERE visibility = 'public'`).pluck();
    return count.get() as number;
  }

  /** Public clusters with a `seq` above `afterSeq` that have a place, newest first. */
  listPlaced(afterSeq: number, limit: number): ClusterRow[] {
    const rows = this.database
      .sql(
        `SELECT ${COLUMNS} FROM clusters WHERE visibility = 'public' AND seq > ? AND props ->> '$.where' <> ` +
          "'none' ORDER BY seq DESC LIMIT ?",
      )
      .all(afterSeq, limit) as Row[];
    return rows.map(toCluster);
  }

  /**
   * The `seq` of the public cluster that precedes the newest `count` ones. Undefined when there are no more
   * than `count`.
   */
  findBeforeNewest(count: number): number | undefined {
    return this.database
      .sql(`SELECT seq FROM clusters WHERE visibility = 'public' ORDER BY seq DESC LIMIT 1 OFFSET ?`)
      .pluck()
      .get(count) as number | undefined;
  }

  get size(): number {
    return (this.database.sql('SELECT count(*) AS size FROM clusters').get() as { size: number }).size;
  }

  /** Whether `slug` was ever assigned. */
  isGiven(slug: string): boolean {
    return this.database.sql('SELECT 1 FROM cluster_slugs WHERE slug = ?').get(slug) !== undefined;
  }

  /**
   * Assigns `base`, or `base-2`, `base-3` and so on: the first number above all earlier ones of that base whose slug
   * was never assigned.
   */
  assignSlug(base: string): string {
    const last = this.database.sql('SELECT max(number) AS number FROM cluster_slugs WHERE base = ?').get(base) as {
      number: number | null;
    };
    for (let number = (last.number ?? 0) + 1; ; number += 1) {
      const slug = number === 1 ? base : `${base}-${number}`;
      if (this.isGiven(slug)) continue;
      this.database.sql('INSERT INTO cluster_slugs (slug, base, number) VALUES (?, ?, ?)').run(slug, base, number);
      return slug;
    }
  }
}

const toText = (props: Props | null) => (props === null ? null : JSON.stringify(props));

function toCluster(row: Row): ClusterRow {
  return {
    ...row,
    boards_enabled: row.boards_enabled === 1,
    props: row.props === null ? null : (JSON.parse(row.props) as Props),
  };
}

const ifThere = (row: unknown) => (row === undefined ? undefined : toCluster(row as Row));
