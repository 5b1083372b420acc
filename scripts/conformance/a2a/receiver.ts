import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../hard/drill.js';
import type { Body } from './http.js';

interface Notification {
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Body;
}

/** A web hook on the loopback address that keeps what it is sent. */
export class Receiver {
  private readonly got: Notification[] = [];

  private constructor(
    readonly endpoint: string,
    readonly close: () => void,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body: Body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      receiver.got.push({ path: request.url ?? '', headers: request.headers, body });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(`127.0.0.1:${port}`, () => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  url(path: string): string {
    return `http://${this.endpoint}/${path}`;
  }

  /** The notifications sent to a path, once `isIt` holds for one of them. */
  async until(path: string, isIt: (notification: Notification) => boolean): Promise<Notification[]> {
    const sent = () => this.got.filter((one) => one.path === `/${path}`);
    await until(`A notification at ${path}`, 10_000, sent, (all) => all.some(isIt));
    return sent();
  }

  sentTo(path: string): Notification[] {
    return this.got.filter((one) => one.path === `/${path}`);
  }
}
