import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

interface Frame {
  functionName: string;
  url: string;
}

interface Profile {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  /** Microseconds. */
  timeDeltas: number[];
}

/**
 * Returns the place to which a frame's self time is attributed: a package, a part of Node.js, a folder of the daemon,
 * or the name of native code.
 */
function getPlace({ functionName, url }: Frame): string {
  const installed = /node_modules\/(?!\.cache\/)((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed !== undefined) return installed;
  const own = /\/(?:daemon|client)\/(.*)$/.exec(url)?.[1];
  if (own !== undefined) return `meshd: ${own.split('/').slice(0, -1).join('/') || 'daemon'}`;
  if (url.startsWith('node:'))
    return `node: ${
      url
        .slice(5)
        .replace(/^internal\//, '')
        .split('/')[0]
    }`;
  return functionName.startsWith('(') ? functionName.slice(1, -1) : `native: ${functionName}`;
}

/** A profiler client of a Node.js that was started with `--inspect=127.0.0.1:0`. */
export class Profiled {
  private next = 0;
  private readonly waiting = new Map<number, (result: unknown) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown };
      if (id === undefined) return;
      this.waiting.get(id)?.(result);
      this.waiting.delete(id);
    });
  }

  /** Resolves when the program has printed its inspector address. */
  static async of(child: ChildProcess): Promise<Profiled> {
    if (!child.stderr) throw new Error('What the program says is not read.');
    for await (const line of createInterface({ input: child.stderr })) {
      const address = /listening on (ws:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      const socket = new WebSocket(address);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      child.stderr.resume();
      return new Profiled(socket);
    }
    throw new Error('The program ended before it could be inspected.');
  }

  /** Returns processor milliseconds by place while `work` runs, highest first. Idle time is excluded. */
  async during(work: () => Promise<void>): Promise<Map<string, number>> {
    await this.send('Profiler.enable');
    await this.send('Profiler.setSamplingInterval', { interval: 200 });
    await this.send('Profiler.start');
    await work();
    const { profile } = (await this.send('Profiler.stop')) as { profile: Profile };
    const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
    const spent = new Map<string, number>();
    profile.samples.forEach((id, index) => {
      const place = getPlace(frames.get(id) as Frame);
      if (place !== 'idle') spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas[index] as number) / 1_000);
    });
    return new Map([...spent].sort((a, b) => b[1] - a[1]));
  }

  close(): void {
    this.socket.terminate();
  }

  private send(method: string, params: object = {}): Promise<unknown> {
    this.next += 1;
    const id = this.next;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
