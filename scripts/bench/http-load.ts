import { connect } from 'node:net';
import { quantile } from './measure.js';

export interface Request {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Load {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Sends requests for `ms` milliseconds over `connections` kept-alive connections, each connection the next one as soon
 * as the response has arrived. Throws unless every response is 200.
 */
export async function load(
  port: number,
  connections: number,
  ms: number,
  next: (index: number) => Request,
): Promise<Load> {
  const times: number[] = [];
  let index = 0;
  const started = performance.now();
  const until = started + ms;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const line = await Line.open(port);
      while (performance.now() < until) {
        const request = next(index);
        index += 1;
        const sent = performance.now();
        const { status, text } = await line.send(request);
        if (status !== 200) throw new Error(`${request.method} ${request.path} was answered ${status}: ${text}`);
        times.push(performance.now() - sent);
      }
      line.close();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { perSecond: times.length / seconds, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

/**
 * One kept-alive connection that implements only the HTTP a bench needs, so that the client costs little compared to
 * the server.
 */
export class Line {
  private received = '';
  private settle:
    | { resolve: (answer: { status: number; text: string }) => void; reject: (error: Error) => void }
    | undefined;

  private constructor(private readonly socket: ReturnType<typeof connect>) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => this.take(String(chunk)));
    socket.on('error', (error) => this.settle?.reject(error));
    socket.on('close', () => this.settle?.reject(new Error('The server hung up.')));
  }

  static open(port: number): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Line(socket)));
      socket.once('error', reject);
    });
  }

  send({ method, path, headers = {}, body }: Request): Promise<{ status: number; text: string }> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const { remotePort } = this.socket;
    const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${remotePort}`];
    for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
    if (text !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
    });
  }

  close(): void {
    this.settle = undefined;
    this.socket.destroy();
  }

  private take(chunk: string): void {
    this.received += chunk;
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.received.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const total = end + 4 + length;
    if (this.received.length < total) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.received.slice(end + 4, total) };
    this.received = this.received.slice(total);
    this.settle?.resolve(answer);
  }
}
