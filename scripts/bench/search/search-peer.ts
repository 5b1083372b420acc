/**
 * The peer of the search bench: MiniSearch, an in-memory text index for JavaScript, installed into this folder when it
 * is missing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CatalogRow } from '../../../daemon/features/oracle/catalog-source.js';

interface Found {
  id: number;
  score: number;
}

interface MiniSearchIndex {
  addAll(documents: readonly object[]): void;
  search(
    query: string,
    options: { filter?: (found: Found) => boolean; fuzzy?: number; boost?: Record<string, number> },
  ): Found[];
}

type MiniSearchClass = new (options: { fields: string[]; idField: string }) => MiniSearchIndex;

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Returns the class; installs the package first when it is missing. */
export async function loadMiniSearch(): Promise<MiniSearchClass> {
  const entry = new URL('../node_modules/minisearch/dist/es/index.js', import.meta.url);
  if (!existsSync(entry))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  return ((await import(entry.href)) as { default: MiniSearchClass }).default;
}

/**
 * MiniSearch over the same four fields of the same rows, with the same weights. A search returns the numbers of the
 * rows, best first.
 */
export class Peer {
  private constructor(private readonly index: MiniSearchIndex) {}

  static async over(rows: readonly CatalogRow[]): Promise<Peer> {
    const MiniSearch = await loadMiniSearch();
    const index = new MiniSearch({ fields: ['description', 'tags', 'capabilities', 'category'], idField: 'id' });
    index.addAll(
      rows.map(({ description, tags, capabilities, category }, id) => ({
        id,
        description: description ?? '',
        tags: tags.join(' '),
        capabilities: capabilities.join(' '),
        category: category ?? '',
      })),
    );
    return new Peer(index);
  }

  /** With `fuzzy` it also matches words up to a fifth of whose letters differ: slower, but it finds mistyped words. */
  search(query: string, passes: (row: number) => boolean, { fuzzy }: { fuzzy: boolean }): number[] {
    const boost = { tags: 2, capabilities: 2 };
    return this.index
      .search(query, { boost, filter: ({ id }) => passes(id), ...(fuzzy ? { fuzzy: 0.2 } : {}) })
      .map(({ id }) => id);
  }
}
