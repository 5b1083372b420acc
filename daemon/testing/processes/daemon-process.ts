import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { AskAccepted, AskRecord } from '../../contract/asks.js';
import type {
  Conversation,
  MessageAccepted,
  MessageList,
  NewConversation,
  Turn,
} from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { MemberDetail } from '../../contract/team.js';

/** `MESHD_DRILL_DAEMON` names another build, such as an older one whose fault a drill must detect. */
const PROGRAM = process.env['MESHD_DRILL_DAEMON'] ?? fileURLToPath(new URL('../../../dist/daemon.js', import.meta.url));

export type Environment = Readonly<Record<string, string | undefined>>;

/** A daemon that did not start, with its message and exit code. */
export class DaemonRefusedError extends Error {
  constructor(
    message: string,
    readonly exit: number | null,
    readonly signal: NodeJS.Signals | null,
  ) {
    super(message);
  }
}

/**
 * The built daemon as a separate process, on a free port or that of MESHD_PORT, called over HTTP like the dashboard and
 * other programs. The test that starts one ends it with `stop` or `kill`. Its environment contains only the given
 * variables.
 */
export class DaemonProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly pid: number,
    readonly address: string,
  ) {}

  /**
   * Starts a daemon on `root`. `through` is a program with arguments that executes it (`prlimit`, `setpriv`). Throws
   * DaemonRefusedError with the daemon's message when it does not start.
   */
  static async start(root: string, environment: Environment, through: readonly string[] = []): Promise<DaemonProcess> {
    const [program = process.execPath, ...args] = [
      ...through,
      process.execPath,
      PROGRAM,
      '--root',
      root,
      '--port',
      environment['MESHD_PORT'] ?? '0',
    ];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...environment } });
    let word: { type: string; address: string; message?: string } | undefined;
    child.once('message', (said) => {
      word = said as typeof word;
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await Promise.race([once(child, 'message'), ended]);
    if (word?.type === 'listening' && child.pid !== undefined) return new DaemonProcess(child, child.pid, word.address);
    await ended;
    throw new DaemonRefusedError(
      word?.message ?? `The daemon ended with ${child.exitCode ?? child.signalCode}.`,
      child.exitCode,
      child.signalCode,
    );
  }

  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Sends SIGKILL, as a crash would end it. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Sends one request. Throws for a status other than 2xx, with the daemon's message. */
  async call<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Body> {
    const response = await fetch(this.address + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return JSON.parse(text) as Body;
  }

  converse(conversation: NewConversation): Promise<Conversation> {
    return this.call('POST', '/conversations', conversation);
  }

  /** Posts a message and returns the id of its turn. */
  async post(conv: string, text: string): Promise<string> {
    return (await this.call<MessageAccepted>('POST', `/conversations/${conv}/messages`, { text })).turn;
  }

  transcript(conv: string): Promise<MessageList> {
    return this.call('GET', `/conversations/${conv}/messages?limit=200`);
  }

  async turn(conv: string, turn: string): Promise<Turn> {
    const found = (await this.transcript(conv)).turns.find((one) => one.turn === turn);
    if (!found) throw new Error(`The transcript of ${conv} has no turn ${turn}.`);
    return found;
  }

  async getToken(member: string): Promise<string> {
    const { token } = await this.call<MemberDetail>('GET', `/team/${member}`);
    if (token === undefined) throw new Error(`${member} has no token: it is not exposed.`);
    return token;
  }

  /** Asks as another program does and waits until the ask has ended. */
  async ask(member: string, token: string, body: object): Promise<AskRecord> {
    const headers = { authorization: `Bearer ${token}` };
    const { poll } = await this.call<AskAccepted>('POST', `/team/${member}/ask`, body, headers);
    for (;;) {
      const record = await this.call<AskRecord>('GET', `${poll}?wait=60`, undefined, headers);
      if (record.status === 'done' || record.status === 'error') return record;
    }
  }

  /** Returns the resident memory in bytes, as the system reports it. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  }

  /** Returns how many files it has open, sockets included. */
  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Its open sockets. Linux only. */
  openSockets(): number {
    const folder = `/proc/${this.pid}/fd`;
    const isSocket = (name: string) => {
      try {
        return readlinkSync(`${folder}/${name}`).startsWith('socket:');
      } catch {
        // Closed meanwhile.
        return false;
      }
    };
    return readdirSync(folder).filter(isSocket).length;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

/** A client of the daemon's event socket. It keeps every frame and can wait for any. */
export class EventFeed {
  readonly frames: EventFrame[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)) as EventFrame);
      for (const look of this.waiting) look();
    });
  }

  static async open({ address }: { address: string }): Promise<EventFeed> {
    const feed = new EventFeed(new WebSocket(`${address.replace('http', 'ws')}/events`));
    await feed.until((frame) => frame.type === 'hello');
    return feed;
  }

  /** Resolves with the first frame, past or future, for which `isIt` holds. */
  until(isIt: (frame: EventFrame) => boolean): Promise<EventFrame> {
    return new Promise((resolve) => {
      let seen = 0;
      const look = () => {
        for (; seen < this.frames.length; seen += 1) {
          const frame = this.frames[seen];
          if (!frame || !isIt(frame)) continue;
          this.waiting.delete(look);
          resolve(frame);
          return;
        }
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Resolves when the turn has ended. */
  async untilEnded(turn: string): Promise<void> {
    await this.until((frame) => frame.type === 'turn.ended' && frame.turn === turn);
  }

  close(): void {
    this.socket.terminate();
  }
}

/**
 * Returns the running processes, other than `daemon`, whose environment sets HOME to `home`: those that a daemon with
 * that home started. Linux only.
 */
export function processesOfHome(home: string, daemon?: DaemonProcess): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === daemon?.pid) return [];
    try {
      const isOurs = `\0${readFileSync(`/proc/${name}/environ`, 'latin1')}\0`.includes(`\0HOME=${home}\0`);
      return isOurs ? [pid] : [];
    } catch {
      // The process has ended since the folder was listed, or belongs to another user.
      return [];
    }
  });
}
