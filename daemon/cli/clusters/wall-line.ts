import type { WebSocket } from 'ws';
import type { Vis, WallFrame } from '../../contract/wall.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type ClusterCalls, clusterPath } from './cluster-calls.js';

const CONNECT_LIMIT_MS = 10_000;
/** The daemon pings every 25 s; a connection that is silent for two pings is dead. */
const QUIET_LIMIT_MS = 60_000;

const CLOSED: Readonly<Record<number, CommandError>> = {
  4000: new CommandError(EXIT.notFound, 'The cluster was deleted.', 'not_found'),
  4401: new CommandError(EXIT.refused, 'The token is no longer valid for this cluster.', 'unauthorized'),
  4408: new CommandError(EXIT.failed, 'The daemon disconnected: its messages were not read in time.', 'too_slow'),
  1008: new CommandError(EXIT.refused, 'The daemon disconnected: too many messages at once.', 'too_many_requests'),
  1009: new CommandError(EXIT.usage, 'That is larger than a frame of 65,536 bytes: send it in pieces.', 'too_large'),
};

const REFUSED: Readonly<Record<number, CommandError>> = {
  400: new CommandError(
    EXIT.usage,
    'This handle is not valid: 1 to 64 characters, none of them invisible.',
    'bad_request',
  ),
  401: new CommandError(
    EXIT.refused,
    'There is no such cluster, or it is private and its token is not known here: `meshd cluster join` saves it.',
    'unauthorized',
  ),
  429: new CommandError(EXIT.refused, 'Too many wrong tokens: wait a minute.', 'too_many_requests'),
};

/** One WebSocket of a cluster's Wall, read frame by frame. Its token is sent in a header, never in the URL. */
export class WallLine {
  private readonly frames: WallFrame[] = [];
  private failure: CommandError | undefined;
  private isClosed = false;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: WebSocket) {}

  /** Resolves once connected; `ready` is the first frame. Throws `unauthorized`, `bad_request`, `unreachable`. */
  static async open(
    cluster: Pick<ClusterCalls, 'address' | 'id' | 'headers'>,
    agent: string,
    vis: Vis,
  ): Promise<WallLine> {
    const { WebSocket: Socket } = await import('ws');
    const query = new URLSearchParams({ agent, vis });
    const socket = new Socket(`${cluster.address.replace('http', 'ws')}${clusterPath(cluster.id, 'ws')}?${query}`, {
      headers: cluster.headers,
      handshakeTimeout: CONNECT_LIMIT_MS,
      perMessageDeflate: false,
    });
    const line = new WallLine(socket);
    let quiet: NodeJS.Timeout | undefined;
    const hear = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.terminate(), QUIET_LIMIT_MS);
    };
    socket.on('message', (data) => {
      hear();
      line.frames.push(JSON.parse(String(data)) as WallFrame);
      line.wake();
    });
    socket.on('ping', hear);
    socket.on('close', (code) => {
      clearTimeout(quiet);
      line.failure ??= CLOSED[code] ?? new CommandError(EXIT.unreachable, 'The daemon closed the line.', 'unreachable');
      line.wake();
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, response) => {
        reject(
          REFUSED[response.statusCode ?? 0] ??
            new CommandError(EXIT.failed, `The daemon answered ${response.statusCode}.`, 'failed'),
        );
        socket.terminate();
      });
      socket.once('error', (error) =>
        reject(new CommandError(EXIT.unreachable, `The daemon refused: ${error.message}.`, 'unreachable')),
      );
    });
    hear();
    socket.on('error', () => undefined);
    return line;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  /**
   * Returns the next frame; undefined once `close` was called. After the last frame it throws the failure that ended
   * the connection.
   */
  async next(): Promise<WallFrame | undefined> {
    for (;;) {
      const frame = this.frames.shift();
      if (this.isClosed) return undefined;
      if (frame) return frame;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Closes the connection. Idempotent. */
  close(): void {
    this.isClosed = true;
    this.socket.close();
    this.wake();
  }
}
