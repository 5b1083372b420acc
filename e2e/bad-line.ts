import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  near: Socket;
  far: Socket;
  isUpgraded: boolean;
}

/**
 * A TCP proxy to the daemon whose connections can be cut, held or delayed. While it works it neither loses nor
 * duplicates data.
 */
export class BadLine {
  /** Delay of each chunk, in milliseconds. */
  delayMs = 0;
  private readonly pairs = new Set<Pair>();
  private isHeld = false;

  private constructor(
    private readonly server: Server,
    private readonly to: number,
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async to(port: number): Promise<BadLine> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BadLine(server, port);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of open connections that were upgraded to WebSockets. */
  get sockets(): number {
    return [...this.pairs].filter(({ isUpgraded }) => isUpgraded).length;
  }

  /** Cuts the WebSocket that has been open longest. */
  cutOldest(): void {
    const oldest = [...this.pairs].find(({ isUpgraded }) => isUpgraded);
    if (oldest) this.cut(oldest);
  }

  /** Stops all traffic without closing any connection. */
  hold(): void {
    this.isHeld = true;
    for (const { near, far } of this.pairs) for (const end of [near, far]) end.pause();
  }

  /** Lets new connections through and cuts the held ones. */
  heal(): void {
    this.isHeld = false;
    for (const pair of this.pairs) this.cut(pair);
  }

  close(): void {
    for (const pair of this.pairs) this.cut(pair);
    this.server.close();
  }

  private join(near: Socket): void {
    const far = connect({ port: this.to, host: '127.0.0.1', noDelay: true });
    const pair: Pair = { near, far, isUpgraded: false };
    this.pairs.add(pair);
    for (const end of [near, far]) end.on('error', () => undefined).on('close', () => this.cut(pair));
    near.once('data', (head) => {
      pair.isUpgraded = /^upgrade: websocket/im.test(head.toString('latin1'));
    });
    this.carry(near, far);
    this.carry(far, near);
    if (this.isHeld) for (const end of [near, far]) end.pause();
  }

  private carry(from: Socket, to: Socket): void {
    from.on('data', (chunk) => {
      if (this.delayMs === 0) return void to.write(chunk);
      from.pause();
      setTimeout(() => {
        to.write(chunk);
        if (!this.isHeld) from.resume();
      }, this.delayMs);
    });
  }

  private cut(pair: Pair): void {
    this.pairs.delete(pair);
    pair.near.destroy();
    pair.far.destroy();
  }
}
