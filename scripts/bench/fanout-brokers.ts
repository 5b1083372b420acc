/** The brokers of the fan-out bench, as Debian packages them: over their own protocols on TCP, NATS over its WebSocket listener too. Those that are not installed are not measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aFreePort } from '../../daemon/testing/free-port.js';
import { clientFrame, payloadCounter, webSocketGreeting } from './fanout-websocket.js';

/** How a line of the load greets a server: what it says first, where the answer ends, and what it says then, by its number. */
export interface Greeting {
  first(path: string, port: number): string | Buffer;
  /** Where the answer's own bytes end in what has come, read as latin1; -1 while it has not. */
  end(head: string): number;
  hello?(number: number): string | Buffer;
  /** What of a chunk counts, for one line: all of it unless said. */
  counter?(): (chunk: Buffer) => number;
}

export interface Broker {
  program: string;
  configuration(port: number): string;
  arguments(configuration: string): string[];
  greeting: Greeting;
  message(text: string): Buffer;
}

/** A number of MQTT's variable length. */
function varied(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varied(Math.floor(value / 128))];
}
const packet = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type, ...varied(body.length)]), body]);
const text = (words: string) =>
  Buffer.concat([Buffer.from([words.length >> 8, words.length & 255]), Buffer.from(words)]);

// The first of the lines publishes and listens to nothing. The PONG that the PING asks for comes before the first message.
const natsHello = (number: number) => `CONNECT {"verbose":false}\r\n${number === 0 ? '' : 'SUB m 1\r\n'}PING\r\n`;
const natsMessage = (words: string) => `PUB m ${words.length}\r\n${words}\r\n`;

export const BROKERS = {
  NATS: {
    program: 'nats-server',
    configuration: (port) =>
      `listen: "127.0.0.1:-1"\nping_interval: "1h"\nwebsocket { listen: "127.0.0.1:${port}", no_tls: true, compression: false }\n`,
    arguments: (configuration) => ['-c', configuration],
    greeting: {
      ...webSocketGreeting(),
      hello: (number) => clientFrame(natsHello(number)),
      // It puts as many messages into one WebSocket frame as it has, so that the frames' heads are no measure.
      counter: payloadCounter,
    },
    message: (words) => clientFrame(natsMessage(words)),
  },
  'NATS over TCP': {
    program: 'nats-server',
    configuration: (port) => `listen: "127.0.0.1:${port}"\nping_interval: "1h"\n`,
    arguments: (configuration) => ['-c', configuration],
    greeting: {
      first: () => '',
      end: (head) => (head.includes('\r\n') ? head.indexOf('\r\n') + 2 : -1),
      hello: natsHello,
    },
    message: (words) => Buffer.from(natsMessage(words)),
  },
  mosquitto: {
    program: 'mosquitto',
    configuration: (port) => `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`,
    arguments: (configuration) => ['-c', configuration],
    greeting: {
      first: (path) => packet(0x10, Buffer.concat([text('MQTT'), Buffer.from([4, 2, 0, 0]), text(path)])),
      end: (head) => (head.length >= 4 ? 4 : -1),
      hello: (number) =>
        number === 0 ? '' : packet(0x82, Buffer.concat([Buffer.from([0, 1]), text('m'), Buffer.from([0])])),
    },
    message: (words) => packet(0x30, Buffer.concat([text('m'), Buffer.from(words)])),
  },
} satisfies Record<string, Broker>;
export type BrokerName = keyof typeof BROKERS;

/** Where the broker's program is, or undefined. */
export function findBroker(name: BrokerName): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
  return places.map((place) => join(place, BROKERS[name].program)).find((path) => existsSync(path));
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Starts a broker, behind `prefix`, which puts it on its core. */
export async function startBroker(
  name: BrokerName,
  program: string,
  prefix: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  const port = await aFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-broker-'));
  const configuration = join(folder, 'configuration');
  writeFileSync(configuration, BROKERS[name].configuration(port));
  const [first = '', ...rest] = [...prefix, program, ...BROKERS[name].arguments(configuration)];
  const child = spawn(first, rest, { stdio: 'ignore' });
  // Servers of ours end when their parent has gone; a broker does not notice.
  process.once('exit', () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (tries === 200 || child.exitCode !== null) throw new Error(`${name} does not listen.`);
    await pause(50);
  }
  return { child, port };
}

/** Processor time and memory of a process, by the system's own account. */
export function spentBy(pid: number): { cpuMs: number; rssKb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssKb: Number(rss) };
}
