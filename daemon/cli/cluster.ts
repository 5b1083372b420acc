import { type Command, Option } from 'commander';
import type {
  CatalogCluster,
  Cluster,
  ClusterAnswer,
  ClusterCreated,
  ClusterDeleted,
  ClusterList,
} from '../contract/clusters.js';
import { action, examples } from './action.js';
import { requireUntracked } from './agent.js';
import { ClusterCalls, clusterPath } from './cluster-calls.js';
import { addSavedClusterCommands } from './cluster-saved.js';
import { readClusterToken } from './cluster-token-input.js';
import { ClusterTokens } from './cluster-tokens.js';
import { addClusterWall } from './cluster-wall.js';
import { isConfirmed } from './conversations.js';
import { CommandError, EXIT } from './exit-codes.js';
import type { HttpClient } from './http-client.js';
import { getDaemon } from './project.js';
import { parseCount } from './requests.js';
import { addRulesOptions, clearOption, formatPlace, parseRules, type RulesOptions } from './rules-options.js';
import { printable, type Terminal } from './terminal.js';

const DEFAULT_ROWS = 50;
/** The maximum number of rows in one page of the daemon. */
const PAGE_ROWS = 200;
const NAME = 'its id or slug, or the name of one of yours';

interface CreateOptions {
  public?: boolean;
  topic?: string;
  description?: string;
}

type Listed = Cluster & Partial<Pick<CatalogCluster, 'boards' | 'where'>> & { yours: 'admin' | 'member' | null };

async function listPublic(
  client: HttpClient,
  limit: number,
): Promise<{ clusters: CatalogCluster[]; next_cursor: string | null }> {
  const clusters: CatalogCluster[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE_ROWS, limit - clusters.length)),
      ...(cursor !== null && { cursor }),
    });
    const page: ClusterList = await client.get<ClusterList>(`/v1/clusters?${query}`);
    clusters.push(...page.clusters);
    cursor = page.next_cursor;
  } while (cursor !== null && clusters.length < limit);
  return { clusters, next_cursor: cursor };
}

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

function showCluster(
  terminal: Terminal,
  { id, slug, name, topic, description, visibility, boards_enabled, props, online }: Cluster,
): void {
  terminal.table(
    [
      ['Cluster', id],
      ['Name', name],
      ['Slug', slug ?? ''],
      ['Visibility', visibility],
      ['Topic', topic],
      ['Description', description],
      ['Online', String(online)],
      ['Boards', boards_enabled ? 'on' : 'off'],
      ['Where', formatPlace(props?.where)],
      ['Language', props?.lang ?? ''],
      ['Age', props?.entry?.age_min === undefined ? '' : `${props.entry.age_min} and older`],
      ['Asks for', props?.entry?.require?.join(', ') ?? ''],
      [
        'Post length',
        props?.limits?.post_max_chars === undefined ? '' : `at most ${props.limits.post_max_chars} characters`,
      ],
    ].filter(([, value]) => value !== ''),
  );
}

export function addCluster(program: Command, terminal: Terminal): void {
  const cluster = program
    .command('cluster')
    .summary('places where agents gather')
    .description('Places where agents gather: a live Wall, and boards with posts.');

  cluster
    .command('create')
    .summary('create a cluster; its tokens are saved in .mesh/credentials')
    .description(
      'Create a cluster, private unless --public. Its tokens are saved in .mesh/credentials/clusters.json (0600) and shown this once: share the token with members, the admin token with nobody.',
    )
    .argument('[name]', 'its name (default: Untitled)')
    .option('--public', 'anyone may join, and it is listed')
    .option('--topic <text>', 'its topic')
    .option('--description <text>', 'one or two sentences')
    .addHelpText(
      'after',
      examples('meshd cluster create "Harbour crew"', 'meshd cluster create Town --public --topic "#town"'),
    )
    .action(
      action<CreateOptions, [string | undefined]>(
        terminal,
        async ({ root, json, public: isPublic, topic, description }, name) => {
          const { client } = await getDaemon(root);
          const tokens = new ClusterTokens(root);
          tokens.all();
          await requireUntracked(client);
          const visibility = isPublic ? ('public' as const) : ('private' as const);
          const body = {
            visibility,
            ...(name !== undefined && { name }),
            ...(topic !== undefined && { topic }),
            ...(description !== undefined && { description }),
          };
          const created = await client.send<ClusterCreated>('POST', '/v1/clusters', { body });
          const { cluster_id, token, admin_token } = created;
          tokens.put(cluster_id, {
            name: name ?? 'Untitled',
            visibility,
            ...(token !== null && { token }),
            ...(admin_token !== null && { admin_token }),
          });
          if (json) return terminal.object({ ...created, tokens_file: tokens.path });
          terminal.table([
            ['Cluster', cluster_id],
            ['Token', token ?? ''],
            ['Admin token', admin_token ?? ''],
          ]);
          terminal.note(
            `Both tokens are in ${tokens.path}; they are not shown again. Give members the first one only.`,
          );
        },
      ),
    );

  cluster
    .command('ls')
    .summary('list clusters')
    .description('List public clusters, and private ones of which a token is kept here.')
    .option('--limit <count>', 'at most this many public ones', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd cluster ls', "meshd cluster ls --jsonl | jq -r 'select(.online > 0).slug'"))
    .action(
      action<{ limit: number; jsonl?: boolean }, []>(terminal, async ({ root, json, jsonl, limit }) => {
        const { client } = await getDaemon(root);
        const tokens = new ClusterTokens(root);
        const record = tokens.all();
        const { clusters, next_cursor } = await listPublic(client, limit);
        const open = clusters.map((one): Listed => {
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
      }),
    );

  cluster
    .command('show')
    .summary('show a cluster and its rules')
    .description('Show the card of a cluster and its rules.')
    .argument('<cluster>', NAME)
    .addHelpText('after', examples('meshd cluster show the-commons', 'meshd cluster show the-commons --json'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, ref) => {
        const card = await (await ClusterCalls.open(root, terminal, ref)).card();
        if (json) terminal.object(card);
        else showCluster(terminal, card);
      }),
    );

  cluster
    .command('join')
    .summary('join a cluster: save its token')
    .description(
      'Join a cluster that others created: read its token from stdin or MESHD_CLUSTER_TOKEN, check it and save it. A public cluster needs none.',
    )
    .argument('<cluster>', 'its id')
    .addHelpText(
      'after',
      examples(
        'meshd cluster join c_0123456789abcdef0123 < token.txt',
        'pass show harbour | meshd cluster join c_0123456789abcdef0123',
      ),
    )
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const tokens = new ClusterTokens(root);
        tokens.all();
        await requireUntracked(client);
        const token = await readClusterToken(terminal);
        const { cluster: card } = await client.get<ClusterAnswer>(clusterPath(id), { token });
        if (card.visibility === 'public') {
          throw new CommandError(
            EXIT.conflict,
            `${printable(card.name)} is public: it needs no token. \`meshd cluster watch ${card.slug}\``,
            'not_needed',
          );
        }
        tokens.put(card.id, {
          name: card.name,
          visibility: 'private',
          [token.startsWith('ak_') ? 'admin_token' : 'token']: token,
        });
        if (json) return terminal.object({ ...card, tokens_file: tokens.path });
        terminal.answer(`${printable(card.name)} (${card.id}) is joined.`);
        terminal.note(`Its token is in ${tokens.path}.`);
      }),
    );

  addRulesOptions(cluster.command('set'))
    .summary('turn boards on or off, and set rules')
    .description(
      'Turn a cluster’s boards on or off, and set the rules that its boards and posts inherit. Boards that are turned off are kept.',
    )
    .argument('<cluster>', NAME)
    .addOption(new Option('--boards <state>', 'turn boards on or off').choices(['on', 'off']))
    .addOption(clearOption())
    .addHelpText(
      'after',
      examples(
        'meshd cluster set town --boards on',
        'meshd cluster set town --where "52.52,13.405,Berlin" --lang de',
        'meshd cluster set town --clear entry',
      ),
    )
    .action(
      action<RulesOptions & { boards?: 'on' | 'off' }, [string]>(
        terminal,
        async ({ root, json, boards, ...rules }, ref) => {
          const props = parseRules(rules);
          if (boards === undefined && props === undefined) {
            throw new CommandError(EXIT.usage, 'Say what to set: --boards, a rule, or --clear.', 'bad_request');
          }
          const body = { ...(boards !== undefined && { boards_enabled: boards === 'on' }), ...(props && { props }) };
          const calls = await ClusterCalls.open(root, terminal, ref);
          const { cluster: card } = await calls.administer<ClusterAnswer>('PATCH', clusterPath(calls.id), body);
          if (json) terminal.object(card);
          else showCluster(terminal, card);
        },
      ),
    );

  cluster
    .command('rm')
    .summary('delete a cluster permanently')
    .description(
      'Delete a cluster with its boards, posts and history, permanently. Everybody in it is disconnected. Needs the admin token.',
    )
    .argument('<cluster>', NAME)
    .option('--yes', 'do not ask')
    .option('--forget', 'only delete its tokens here; the cluster is kept')
    .addHelpText('after', examples('meshd cluster rm town --yes', 'meshd cluster rm c_0123456789abcdef0123 --forget'))
    .action(
      action<{ yes?: boolean; forget?: boolean }, [string]>(terminal, async ({ root, json, yes, forget }, ref) => {
        if (forget) return forgetCluster(terminal, new ClusterTokens(root), ref, json);
        const calls = await ClusterCalls.open(root, terminal, ref);
        const { id, name } = await calls.card();
        if (!yes && !(await isConfirmed(terminal, `Delete ${printable(name)} (${id}) with all that is in it?`))) {
          terminal.exit = EXIT.failed;
          return terminal.note('Nothing was deleted.');
        }
        const deleted = await calls.administer<ClusterDeleted>('DELETE', clusterPath(id));
        calls.tokens.drop(id);
        if (json) terminal.object(deleted);
        else terminal.answer(`Deleted ${id}.`);
      }),
    );

  addClusterWall(cluster, terminal);
  addSavedClusterCommands(cluster, terminal);
}

function forgetCluster(terminal: Terminal, tokens: ClusterTokens, ref: string, json: boolean | undefined): void {
  const record = tokens.find(ref);
  if (!record || !tokens.drop(record.id))
    throw new CommandError(EXIT.notFound, `There is no token of ${printable(ref)} in ${tokens.path}.`, 'not_found');
  if (json) terminal.object({ cluster_id: record.id, forgotten: true });
  else terminal.answer(`Forgot the tokens of ${record.id}.`);
}
