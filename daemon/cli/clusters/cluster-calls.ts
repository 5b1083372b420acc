import { InvalidArgumentError } from 'commander';
import type { Cluster, ClusterAnswer } from '../../contract/clusters.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Call, HttpClient } from '../http-client.js';
import type { Terminal } from '../terminal.js';
import { ClusterTokens } from './cluster-tokens.js';

/** The help text of the argument `<cluster>`. */
export const CLUSTER_HELP = 'its id or slug, or the name of one of yours';
/** The help text of the argument `<board>`. */
export const BOARD_HELP = 'its slug or id';

export const clusterPath = (id: string, ...rest: string[]) =>
  ['/v1/clusters', ...[id, ...rest].map(encodeURIComponent)].join('/');

/** Argument parser for `--as`. The daemon validates the handle. */
export function parseHandle(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give your handle, such as --as ada.');
  return text;
}

/** Requests about one cluster, with the token of the environment if there is one, else with the stored tokens. */
export class ClusterCalls {
  private constructor(
    readonly client: HttpClient,
    readonly address: string,
    readonly tokens: ClusterTokens,
    readonly id: string,
    private readonly token: string | undefined,
    private readonly adminToken: string | undefined,
  ) {}

  /**
   * Resolves the cluster by its id, its slug, or the name of one with a stored token. Throws `not_found`, `ambiguous`,
   * `unreachable`.
   */
  static async open(root: string, terminal: Terminal, ref: string): Promise<ClusterCalls> {
    const { client, file } = await getDaemon(root);
    const tokens = new ClusterTokens(root);
    const id = await resolveClusterId(client, tokens, ref);
    const record = tokens.all().get(id);
    const given = terminal.environment.clusterToken;
    const token = given ?? record?.token ?? record?.admin_token;
    return new ClusterCalls(client, file.address, tokens, id, token, given ?? record?.admin_token);
  }

  /** The header with the member's token, for the WebSocket. */
  get headers(): Record<string, string> {
    return this.token === undefined ? {} : { 'x-cluster-token': this.token };
  }

  async card(): Promise<Cluster> {
    return (await this.get<ClusterAnswer>(clusterPath(this.id))).cluster;
  }

  get<T>(path: string): Promise<T> {
    return this.client.get<T>(path, withToken({}, this.token));
  }

  /** Sends a request as a member. */
  send<T>(method: 'POST' | 'DELETE', path: string, call: Call = {}): Promise<T> {
    return this.client.send<T>(method, path, withToken(call, this.token));
  }

  /** Sends a request with the admin token if there is one, else as a member. */
  sendAsOwner<T>(method: 'DELETE', path: string): Promise<T> {
    return this.client.send<T>(method, path, withToken({}, this.adminToken ?? this.token));
  }

  /** Sends a request as the admin. Throws `unauthorized` without the admin token. */
  async administer<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
    if (this.adminToken === undefined) {
      throw new CommandError(
        EXIT.refused,
        `There is no admin token of ${this.id} in ${this.tokens.path}; MESHD_CLUSTER_TOKEN in the ` +
          'environment gives one.',
        'unauthorized',
      );
    }
    return this.client.send<T>(method, path, withToken(body === undefined ? {} : { body }, this.adminToken));
  }
}

/**
 * Any caller can create a public cluster whose slug equals the name of a private one, and a private one can be named
 * like a public slug. Where `ref` matches both, the result is `ambiguous` and no token is sent to either.
 */
async function resolveClusterId(client: HttpClient, tokens: ClusterTokens, ref: string): Promise<string> {
  if (ref.startsWith('c_')) return ref;
  const record = tokens.find(ref)?.id;
  try {
    const { id } = (await client.get<ClusterAnswer>(clusterPath(ref))).cluster;
    if (record === undefined || record === id) return id;
    throw new CommandError(
      EXIT.conflict,
      `Two clusters go by "${ref}": name ${record} (yours) or ${id} (public).`,
      'ambiguous',
    );
  } catch (error) {
    if (record !== undefined && error instanceof CommandError && error.exit === EXIT.notFound) return record;
    throw error;
  }
}

const withToken = (call: Call, token: string | undefined): Call => (token === undefined ? call : { ...call, token });
