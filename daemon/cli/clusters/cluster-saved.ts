import { type Command, Option } from 'commander';
import type {
  SavedCluster,
  SavedClusterBody,
  SavedClusterLeft,
  SavedClusterList,
} from '../../contract/saved-clusters.js';
import type { Vis } from '../../contract/wall.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { printable, type Terminal } from '../terminal.js';
import { CLUSTER_HELP, ClusterCalls, parseHandle } from './cluster-calls.js';
import { readClusterToken } from './cluster-token-input.js';

const VISIBILITIES: readonly Vis[] = ['public', 'private', 'ghost'];

interface HoldOptions {
  as?: string;
  vis?: Vis;
}

const getRole = ({ admin, member }: SavedCluster) => (admin ? 'admin' : member ? 'member' : '');

/** The known tokens of the cluster: that of the environment alone, else the stored ones. */
function knownTokens(calls: ClusterCalls, terminal: Terminal): Pick<SavedClusterBody, 'token' | 'admin_token'> {
  const given = terminal.environment.clusterToken;
  if (given !== undefined) return { token: given };
  const { token, admin_token } = calls.tokens.all().get(calls.id) ?? {};
  return { ...(token !== undefined && { token }), ...(admin_token !== undefined && { admin_token }) };
}

/** Saves the cluster in the daemon. Reads a token from the terminal when none is known and the cluster requires one. */
async function hold(calls: ClusterCalls, terminal: Terminal, body: SavedClusterBody): Promise<SavedCluster> {
  const known = knownTokens(calls, terminal);
  const keep = (tokens: object) => calls.client.send<SavedCluster>('POST', '/rooms', { body: { ...body, ...tokens } });
  try {
    return await keep(known);
  } catch (error) {
    const isClosed = error instanceof CommandError && error.exit === EXIT.notFound;
    if (!isClosed || Object.keys(known).length > 0) throw error;
    return keep({ token: await readClusterToken(terminal) });
  }
}

/** Finds a saved cluster by its id, its slug, or an unambiguous name. Throws `not_found`, `ambiguous`. */
async function findSavedCluster(client: HttpClient, ref: string): Promise<SavedCluster> {
  const { rooms: clusters } = await client.get<SavedClusterList>('/rooms');
  const own = clusters.find(({ cluster_id, slug }) => cluster_id === ref || slug === ref);
  const [named, second] = clusters.filter(({ name }) => name === ref);
  const cluster = own ?? named;
  if (!cluster)
    throw new CommandError(
      EXIT.notFound,
      `The daemon is not in ${printable(ref)}: \`meshd cluster rooms\` lists where it does.`,
      'not_found',
    );
  if (!own && second)
    throw new CommandError(EXIT.conflict, `Two clusters are named ${printable(ref)}: name one by its id.`, 'ambiguous');
  return cluster;
}

function addRooms(cluster: Command, terminal: Terminal): void {
  cluster
    .command('rooms')
    .summary('list the clusters that the daemon has joined for you')
    .description(
      'List the clusters that the daemon has joined for you, with the number of unread messages. The messages ' +
        'are not saved.',
    )
    .addHelpText(
      'after',
      examples('meshd cluster rooms', "meshd cluster rooms --json | jq '.rooms[] | select(.unread > 0).name'"),
    )
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        const list = await client.get<SavedClusterList>('/rooms');
        if (json) return terminal.object(list);
        if (list.count === 0) return terminal.note('You have not joined a cluster: `meshd cluster hold the-commons`.');
        terminal.table(
          list.rooms.map((cluster) => [
            cluster.cluster_id,
            cluster.slug ?? '(private)',
            cluster.name,
            cluster.held ? `${cluster.handle} (${cluster.vis})` : 'not joined',
            String(cluster.online),
            cluster.unread_direct > 0 ? `${cluster.unread} (${cluster.unread_direct} to you)` : String(cluster.unread),
            getRole(cluster),
          ]),
          ['CLUSTER', 'SLUG', 'NAME', 'AS', 'ONLINE', 'UNREAD', 'YOURS'],
        );
      }),
    );
}

function addHold(cluster: Command, terminal: Terminal): void {
  cluster
    .command('hold')
    .summary('have the daemon join a cluster for you')
    .description(
      'Have the daemon join a cluster under your handle, so that others see you and unread messages are ' +
        'counted while nothing of yours is open. The token of a private cluster that is not saved yet is read ' +
        'from stdin or MESHD_CLUSTER_TOKEN.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .option('--as <handle>', 'your handle (default: operator)', parseHandle)
    .addOption(new Option('--vis <visibility>', 'how others see you (default: public)').choices(VISIBILITIES))
    .addHelpText(
      'after',
      examples(
        'meshd cluster hold the-commons --as ada',
        'pass show harbour | meshd cluster hold c_0123456789abcdef0123',
      ),
    )
    .action(
      action<HoldOptions, [string]>(terminal, async ({ root, json, as, vis }, ref) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        const body = {
          cluster_id: calls.id,
          held: true,
          ...(as !== undefined && { handle: as }),
          ...(vis !== undefined && { vis }),
        };
        const cluster = await hold(calls, terminal, body);
        if (json) return terminal.object(cluster);
        terminal.answer(
          `The daemon is in ${printable(cluster.name)} (${cluster.cluster_id}) as ` +
            `${printable(cluster.handle)}, ${cluster.vis}.`,
        );
      }),
    );
}

function addLeave(cluster: Command, terminal: Terminal): void {
  cluster
    .command('leave')
    .summary('leave a cluster that the daemon has joined for you')
    .description(
      'Leave a cluster that the daemon has joined for you, and delete the tokens it saved for it. Tokens of ' +
        'this command line are kept.',
    )
    .argument('<cluster>', 'its id or slug, or its name')
    .addHelpText('after', examples('meshd cluster leave the-commons'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, ref) => {
        const { client } = await getDaemon(root);
        const { cluster_id, name } = await findSavedCluster(client, ref);
        const left = await client.send<SavedClusterLeft>('DELETE', `/rooms/${encodeURIComponent(cluster_id)}`);
        if (json) terminal.object(left);
        else terminal.answer(`Left ${printable(name)} (${cluster_id}).`);
      }),
    );
}

/** Adds `rooms`, `hold` and `leave`: the clusters that the daemon has joined for the operator. */
export function addSavedClusterCommands(cluster: Command, terminal: Terminal): void {
  addRooms(cluster, terminal);
  addHold(cluster, terminal);
  addLeave(cluster, terminal);
}
