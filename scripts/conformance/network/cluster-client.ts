import { FrameSocket } from './frame-socket.js';
import { type Answer, type Extras, HttpClient } from './http-client.js';

/** A cluster with the credentials that its creator received. */
export class ClusterClient {
  private readonly admin: HttpClient;

  private constructor(
    readonly url: string,
    readonly id: string,
    readonly token: string,
    readonly adminToken: string,
    readonly isPublic: boolean,
  ) {
    this.admin = new HttpClient(url, adminToken);
  }

  static async create(url: string, body: Readonly<Record<string, unknown>> = {}): Promise<ClusterClient> {
    const made = await new HttpClient(url).expect(201, 'POST', '/v1/clusters', { body });
    return new ClusterClient(url, made.cluster_id, made.token, made.admin_token, made.visibility === 'public');
  }

  /** Creates a public cluster with boards. */
  static async withBoards(url: string, body: Readonly<Record<string, unknown>> = {}): Promise<ClusterClient> {
    const cluster = await ClusterClient.create(url, { name: 'Harbour', visibility: 'public', ...body });
    await cluster.administer(200, 'PATCH', '', { boards_enabled: true });
    return cluster;
  }

  get path(): string {
    return `/v1/clusters/${this.id}`;
  }

  /** Sends a request with the admin token, whose answer must have the status. Returns the body. */
  administer(status: number, method: string, path: string, body?: unknown, like: unknown = {}) {
    return this.admin.expect(status, method, this.path + path, body === undefined ? {} : { body }, like);
  }

  /** Sends a request as a member does: with the token of a private cluster, without one to a public cluster. */
  ask(method: string, path: string, extras: Extras = {}): Promise<Answer> {
    return this.member.send(method, this.path + path, extras);
  }

  /** As `ask`, with an answer that must have the status. Returns the body. */
  askFor(status: number, method: string, path: string, body?: unknown, like: unknown = {}) {
    return this.member.expect(status, method, this.path + path, body === undefined ? {} : { body }, like);
  }

  /** Creates a board with the two members that it needs, and returns its id. */
  async board(slug: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.administer(201, 'POST', '/boards', { slug, name: `Board ${slug}`, ...more })).id;
  }

  /** Pins a post and returns its id. */
  async post(board: string, agent: string, body: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const content = { title: 'Rope', body: 'Ten metres.', ...body };
    return (await this.askFor(201, 'POST', `/boards/${board}/posts?agent=${agent}`, content)).id;
  }

  /** Joins the Wall. `query` starts with `&`. */
  join(agent: string, query = ''): Promise<FrameSocket> {
    const token = this.isPublic ? '' : `&token=${this.token}`;
    return FrameSocket.open(this.url, `${this.path}/ws?agent=${agent}${token}${query}`);
  }

  /** Joins the Wall and takes the first frame, `ready`. */
  async enter(agent: string, query = ''): Promise<FrameSocket> {
    const socket = await this.join(agent, query);
    await socket.next({ kind: 'ready' });
    return socket;
  }

  private get member(): HttpClient {
    return new HttpClient(this.url, this.isPublic ? undefined : this.token);
  }
}
