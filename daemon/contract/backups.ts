import { type Static, Type } from 'typebox';

/** Version of the file's layout. A reader refuses a higher one. */
export const BACKUP_FORMAT = 1;
export const BACKUP_FILES_MAX = 10_000;
/** Maximum size of every file except the database. */
export const BACKUP_FILE_MAX_BYTES = 16 * 1024 * 1024;
export const BACKUP_MANIFEST_MAX_BYTES = 4 * 1024 * 1024;

/** One file of a backup. The entries have the order of the files in the archive. */
export const BackupFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 255, description: 'Below `.mesh`, with `/`.' }),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { $id: 'BackupFile', additionalProperties: false },
);
export type BackupFile = Static<typeof BackupFile>;

/**
 * `meshd-backup.json`, the first file of a backup. A backup is a gzipped tar archive of plain files (POSIX ustar), each
 * below `.mesh/`. It contains exactly the files listed here, in this order. The database is `state/mesh.db`.
 */
export const BackupManifest = Type.Object(
  {
    format: Type.Literal(BACKUP_FORMAT),
    meshd: Type.String({ maxLength: 64, description: 'Version that made it.' }),
    project: Type.String({ maxLength: 255, description: 'Name of the project’s folder.' }),
    made_at: Type.String({ maxLength: 40 }),
    schema: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Of the database; null when there was none.',
    }),
    credentials: Type.Boolean({ description: 'Whether it holds tokens and keys.' }),
    files: Type.Array(BackupFile, { maxItems: BACKUP_FILES_MAX }),
  },
  { $id: 'BackupManifest', additionalProperties: false },
);
export type BackupManifest = Static<typeof BackupManifest>;

/** Output of `meshd backup --json`. */
export interface BackupMade {
  file: string;
  bytes: number;
  files: number;
  schema: number | null;
  credentials: boolean;
  made_at: string;
  /** Files of `.mesh` that do not belong in a backup, each with the reason. */
  left_out: { path: string; reason: string }[];
}

/** Output of `meshd restore --json`. */
export interface Restored {
  /** Null after `--undo`. */
  backup: Pick<BackupManifest, 'meshd' | 'project' | 'made_at' | 'schema' | 'credentials'> | null;
  files: number;
  /** Folder of the files that the restore replaced. */
  aside: string;
}
