import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with the path of an index that does not exist yet, in a folder of its own that is then removed. */
export async function withTemporaryIndex<T>(work: (index: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'meshd-index-'));
  try {
    return await work(join(folder, 'index'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
