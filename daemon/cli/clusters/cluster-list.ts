import type { Command } from 'commander';
import type { CatalogCluster, Cluster, ClusterAnswer, ClusterList } from '../../contract/clusters.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { readPages, toQuery } from '../pages.js';
import type { Terminal } from '../terminal.js';
import { clusterPath } from './cluster-calls.js';
import { ClusterTokens } from './cluster-tokens.js';

const DEFAULT_ROWS = 50;

interface ListOptions {
  limit: number;
  jsonl?: boolean;
}

type Listed = Cluster & Partial<Pick<CatalogCluster, 'boards' | 'where'>> & { yours: 'admin' | 'member' | null };

/** Lists private clusters with a stored token. A cluster that rejects its token is omitted. */
async function listClustersWithTokens(client: HttpClient, tokens: ClusterTokens): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const [id, { visibility, token, admin_token }] of tokens.all()) {
    if (visibility === 'public') continue;
    const call = { token: admin_token ?? token ?? '' };
    try {
      const { cluster } = await client.get<ClusterAnswer>(clusterPath(id), call);
      found.push({ ...cluster, yours: admin_token === undefined ? 'member' : 'admin' });
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== EXIT.notFound) throw error;
    }
  }
  return found;
}

async function listClusters(terminal: Terminal, { root, json, jsonl, limit }: ListOptions & Common): Promise<void> {
  const { client } = await getDaemon(root);
  const tokens = new ClusterTokens(root);
  const record = tokens.all();
  const { rows, next_cursor } = await readPages(limit, async (size, cursor) => {
    const page = await client.get<ClusterList>(`/v1/clusters?${toQuery({ limit: size, cursor })}`);
    return { rows: page.clusters, next_cursor: page.next_cursor };
  });
  const open = rows.map((one): Listed => {
    const own = record.get(one.id);
    return { ...one, yours: own ? (own.admin_token === undefined ? 'member' : 'admin') : null };
  });
  const all = [...(await listClustersWithTokens(client, tokens)), ...open];
  if (json) return terminal.object({ clusters: all, count: all.length, next_cursor });
  if (jsonl) return all.forEach((one) => void terminal.record(one));
  if (all.length === 0) return terminal.note('No clusters.');
  terminal.table(
    all.map(({ id, slug, name, topic, online, boards, yours }) => [
      id,
      slug ?? '(private)',
      name,
      topic,
      String(online),
      boards === undefined ? '' : String(boards),
      yours ?? '',
    ]),
    ['CLUSTER', 'SLUG', 'NAME', 'TOPIC', 'ONLINE', 'BOARDS', 'YOURS'],
  );
  if (next_cursor !== null) terminal.note(`There are more: --limit ${limit * 2}.`);
}

export function addClusterLs(cluster: Command, terminal: Terminal): void {
  cluster
    .command('ls')
    .summary('list clusters')
    .description('List public clusters, and private ones of which a token is kept here.')
    .option('--limit <count>', 'at most this many public ones', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd cluster ls', "meshd cluster ls --jsonl | jq -r 'select(.online > 0).slug'"))
    .action(action<ListOptions, []>(terminal, (options) => listClusters(terminal, options)));
}
