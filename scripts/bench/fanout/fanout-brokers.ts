/**
 * The brokers of the fan-out bench, as packaged by Debian. They are used with their own protocols over TCP, NATS also
 * through its WebSocket listener. Brokers that are not installed are not measured.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aFreePort } from '../../../daemon/testing/processes/free-port.js';
import { clientFrame, payloadCounter, webSocketGreeting } from './fanout-websocket.js';

/**
 * The handshake of a load connection with a server: the first bytes, the end of the server's response, and the bytes
 * that follow, by the number of the connection.
 */
export interface Greeting {
  first(path: string, port: number): string | Buffer;
  /**
   * Returns the offset at which the server's response ends in the received data, read as latin1; -1 while it is
   * incomplete.
   */
  end(head: string): number;
  hello?(number: number): string | Buffer;
  /** Returns a function that counts the relevant bytes of a chunk, for one connection. By default all bytes count. */
  counter?(): (chunk: Buffer) => number;
}

interface Broker {
  program: string;
  configuration(port: number): string;
  arguments(configuration: string): string[];
  greeting: Greeting;
  message(text: string): Buffer;
}

/** Encodes a variable length integer of MQTT. */
function varied(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varied(Math.floor(value / 128))];
}
const packet = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type, ...varied(body.length)]), body]);
const text = (words: string) =>
  Buffer.concat([Buffer.from([words.length >> 8, words.length & 255]), Buffer.from(words)]);

// The first connection publishes and subscribes to nothing. The PONG that answers the PING arrives before the first
// message.
const natsHello = (number: number) => `CONNECT {"verbose":false}\r\n${number === 0 ? '' : 'SUB m 1\r\n'}PING\r\n`;
const natsMessage = (words: string) => `PUB m ${words.length}\r\n${words}\r\n`;

export const BROKERS = {
  NATS: {
    program: 'nats-server',
    configuration: (port) =>
      `listen: "127.0.0.1:-1"\nping_interval: "1h"\nwebsocket { listen: "127.0.0.1:${port}", no_tls: true, ` +
      'compression: false }\n',
    arguments: (configuration) => ['-c', configuration],
    greeting: {
      ...webSocketGreeting(),
      hello: (number) => clientFrame(natsHello(number)),
      // NATS puts as many messages into one WebSocket frame as are available, so frame headers must not be counted.
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

/** Returns the path of the broker's program, or undefined. */
export function findBroker(name: BrokerName): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
  return places.map((place) => join(place, BROKERS[name].program)).find((path) => existsSync(path));
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Starts a broker with the command `prefix`, which pins it to its core. */
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
  // Our servers end when their parent has ended; a broker does not notice.
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

/** Returns processor time and memory of a process, as the system reports them. */
export function spentBy(pid: number): { cpuMs: number; rssKb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssKb: Number(rss) };
}
