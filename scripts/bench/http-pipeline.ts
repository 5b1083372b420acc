import { connect, type Socket } from 'node:net';
import { connectInto } from './buffered-socket.js';

const BUFFER = Buffer.allocUnsafe(256 * 1024);

/** Returns the bytes of a GET on a kept-alive connection. */
export function getRequest(port: number, path: string, token?: string): Buffer {
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${bearer}\r\n`);
}

/** Returns the bytes of a POST with a JSON body on a kept-alive connection. */
export function postRequest(port: number, path: string, body: object): Buffer {
  const text = JSON.stringify(body);
  const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${type}\r\n${text}`);
}

/**
 * Connections to one server that all send the same request, with several requests in flight on each. Responses are
 * separated by their length alone, which must be the same for all, so that the load costs little compared to the
 * server.
 */
export class Pipelines {
  /** Milliseconds from each burst of requests on a connection to the response that ends it. */
  readonly times: number[] = [];
  private answered = 0;
  private isOver = true;

  private constructor(
    private readonly sockets: readonly Socket[],
    private readonly request: Buffer,
    private readonly depth: number,
  ) {}

  /** Opens the connections, after one request whose response must be a 200. */
  static async open(port: number, request: Buffer, connections: number, depth: number): Promise<Pipelines> {
    const length = await lengthOfAnswer(port, request);
    const sockets: Socket[] = [];
    const pipelines = new Pipelines(sockets, request, depth);
    while (sockets.length < connections) sockets.push(await pipelines.connection(port, length));
    return pipelines;
  }

  /** Returns the requests a second that are answered, measured for `ms`. */
  async rate(ms: number): Promise<number> {
    this.isOver = false;
    const many = Buffer.concat(Array<Buffer>(this.depth).fill(this.request));
    const started = performance.now();
    const before = this.answered;
    for (const socket of this.sockets) socket.write(many);
    await new Promise((resolve) => setTimeout(resolve, ms));
    const rate = ((this.answered - before) * 1_000) / (performance.now() - started);
    this.isOver = true;
    return rate;
  }

  /** Resolves when no request is in flight. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.answered; ) {
      before = this.answered;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  get count(): number {
    return this.answered;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private connection(port: number, length: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      let bytes = 0;
      let sentAt = 0;
      const socket = connectInto(port, BUFFER, (count) => {
        bytes += count;
        const whole = Math.floor(bytes / length);
        if (whole === 0) return;
        bytes -= whole * length;
        this.answered += whole;
        const now = performance.now();
        if (sentAt > 0) this.times.push(now - sentAt);
        sentAt = now;
        if (!this.isOver)
          socket.write(whole === 1 ? this.request : Buffer.concat(Array<Buffer>(whole).fill(this.request)));
      });
      socket.once('error', reject);
      socket.once('connect', () => resolve(socket));
      socket.once('end', () => {
        throw new Error('The server closed a connection of the load.');
      });
    });
  }
}

/** Returns the length of a response in bytes. Throws an Error with the response unless it is a 200. */
function lengthOfAnswer(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      const body = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
      if (end === -1 || text.length < end + 4 + body) return;
      socket.destroy();
      if (text.startsWith('HTTP/1.1 200')) resolve(text.length);
      else reject(new Error(`The server answered ${text.slice(0, 300)}`));
    });
  });
}
