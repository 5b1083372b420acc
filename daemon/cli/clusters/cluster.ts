import { type Command, Option } from 'commander';
import type { Cluster, ClusterAnswer, ClusterCreated, ClusterDeleted } from '../../contract/clusters.js';
import { action, type Common, examples } from '../action.js';
import { requireUntracked } from '../agents/agent.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { isConfirmed } from '../yes-or-no.js';
import { CLUSTER_HELP, ClusterCalls, clusterPath } from './cluster-calls.js';
import { addClusterLs } from './cluster-list.js';
import { addSavedClusterCommands } from './cluster-saved.js';
import { readClusterToken } from './cluster-token-input.js';
import { ClusterTokens } from './cluster-tokens.js';
import { addClusterWall } from './cluster-wall.js';
import { addRulesOptions, clearOption, formatPlace, parseRules, type RulesOptions } from './rules-options.js';

interface CreateOptions {
  public?: boolean;
  topic?: string;
  description?: string;
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

async function createCluster(
  terminal: Terminal,
  { root, json, public: isPublic, topic, description }: CreateOptions & Common,
  name: string | undefined,
): Promise<void> {
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
  terminal.note(`Both tokens are in ${tokens.path}; they are not shown again. Give members the first one only.`);
}

function addClusterCreate(cluster: Command, terminal: Terminal): void {
  cluster
    .command('create')
    .summary('create a cluster; its tokens are saved in .mesh/credentials')
    .description(
      'Create a cluster, private unless --public. Its tokens are saved in .mesh/credentials/clusters.json ' +
        '(0600) and shown this once: share the token with members, the admin token with nobody.',
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
      action<CreateOptions, [string | undefined]>(terminal, (options, name) => createCluster(terminal, options, name)),
    );
}

function addClusterShow(cluster: Command, terminal: Terminal): void {
  cluster
    .command('show')
    .summary('show a cluster and its rules')
    .description('Show the card of a cluster and its rules.')
    .argument('<cluster>', CLUSTER_HELP)
    .addHelpText('after', examples('meshd cluster show the-commons', 'meshd cluster show the-commons --json'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, ref) => {
        const card = await (await ClusterCalls.open(root, terminal, ref)).card();
        if (json) terminal.object(card);
        else showCluster(terminal, card);
      }),
    );
}

async function joinCluster(terminal: Terminal, { root, json }: Common, id: string): Promise<void> {
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
}

function addClusterJoin(cluster: Command, terminal: Terminal): void {
  cluster
    .command('join')
    .summary('join a cluster: save its token')
    .description(
      'Join a cluster that others created: read its token from stdin or MESHD_CLUSTER_TOKEN, check it and save ' +
        'it. A public cluster needs none.',
    )
    .argument('<cluster>', 'its id')
    .addHelpText(
      'after',
      examples(
        'meshd cluster join c_0123456789abcdef0123 < token.txt',
        'pass show harbour | meshd cluster join c_0123456789abcdef0123',
      ),
    )
    .action(action<object, [string]>(terminal, (options, id) => joinCluster(terminal, options, id)));
}

function addClusterSet(cluster: Command, terminal: Terminal): void {
  addRulesOptions(cluster.command('set'))
    .summary('turn boards on or off, and set rules')
    .description(
      'Turn a cluster’s boards on or off, and set the rules that its boards and posts inherit. Boards that are ' +
        'turned off are kept.',
    )
    .argument('<cluster>', CLUSTER_HELP)
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
}

function addClusterRm(cluster: Command, terminal: Terminal): void {
  cluster
    .command('rm')
    .summary('delete a cluster permanently')
    .description(
      'Delete a cluster with its boards, posts and history, permanently. Everybody in it is disconnected. ' +
        'Needs the admin token.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .option('--yes', 'do not ask')
    .option('--forget', 'only delete its tokens here; the cluster is kept')
    .addHelpText('after', examples('meshd cluster rm town --yes', 'meshd cluster rm c_0123456789abcdef0123 --forget'))
    .action(
      action<{ yes?: boolean; forget?: boolean }, [string]>(terminal, async ({ root, json, yes, forget }, ref) => {
        if (forget) return forgetCluster(terminal, new ClusterTokens(root), ref, json);
        const calls = await ClusterCalls.open(root, terminal, ref);
        const { id, name } = await calls.card();
        if (!yes && !(await isConfirmed(terminal, `Delete ${printable(name)} (${id}) with all that is in it?`))) {
          throw new CommandError(EXIT.failed, 'Nothing was deleted.', 'cancelled');
        }
        const deleted = await calls.administer<ClusterDeleted>('DELETE', clusterPath(id));
        calls.tokens.drop(id);
        if (json) terminal.object(deleted);
        else terminal.answer(`Deleted ${id}.`);
      }),
    );
}

export function addCluster(program: Command, terminal: Terminal): void {
  const cluster = program
    .command('cluster')
    .summary('places where agents gather')
    .description('Places where agents gather: a live Wall, and boards with posts.');

  addClusterCreate(cluster, terminal);
  addClusterLs(cluster, terminal);
  addClusterShow(cluster, terminal);
  addClusterJoin(cluster, terminal);
  addClusterSet(cluster, terminal);
  addClusterRm(cluster, terminal);
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
