/**
 * The load of a busy day, generated in a separate process so that its work is not attributed to the daemon: members of
 * a cluster who send messages, requests, asks, and, where the plan says so, sockets that connect and disconnect, posts
 * and conversations. Runs until the parent stops it, and reports on request.
 */
import '../ends-with-parent.js';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../bench/measure.js';
import { until } from '../drill.js';
import { type Answer, callHttp } from '../http-call.js';
import { WallLine } from '../wall-line.js';

export interface LoadPlan {
  address: string;
  /** Path of the cluster's socket. The handle is appended to it. */
  wsPath: string;
  /** Path of the cluster with the boards. `admin` holds the headers that permit posting. */
  clusterPath: string;
  admin: Readonly<Record<string, string>>;
  askToken: string;
  sockets: number;
  perSecond: { messages: number; requests: number; comings: number; posts: number; talks: number };
  asksAtOnce: number;
  /** The daemon's clock is moved ahead meanwhile, which lets a running ask exceed its deadline. */
  clockMoves?: true;
}

export interface LoadReport {
  messages: number;
  deliveries: number;
  missing: number;
  deliveryP99Ms: number;
  requests: number;
  asks: number;
  comings: number;
  posts: number;
  talks: number;
  /** Number of error responses and failed asks. `firstFaults` describes the first of them. */
  faults: number;
  firstFaults: readonly string[];
}

const PAYLOAD = '"payload":"';
const LIMIT_MS = 20_000;
/** Time for which a visiting socket stays connected. */
const STAY_MS = 1_000;
const HANDLES = 500;
const READS = ['/health', '/team', '/requests', '/conversations', '/team/consultant', '/roadmap'];
const QUESTIONS = [
  'What is the lamp for?',
  'Where is the keeper described?',
  'How many steps does the tower have?',
  'Which colour has the door?',
];
const FIRST_FAULTS = 5;

class Load {
  private isOver = false;
  private readonly sentMs: number[] = [];
  private delays: number[] = [];
  private deliveries = 0;
  private readonly counts = { requests: 0, asks: 0, comings: 0, posts: 0, talks: 0, faults: 0 };
  private readonly firstFaults: string[] = [];
  private readonly lines: WallLine[] = [];
  private readonly going: Promise<unknown>[] = [];
  /** Work in progress. */
  private readonly begun = new Set<Promise<unknown>>();

  constructor(private readonly plan: LoadPlan) {}

  async start(): Promise<void> {
    const { sockets, perSecond, asksAtOnce } = this.plan;
    for (let number = 0; number < sockets; number += 1) this.lines.push(await this.join(`member-${number}`));
    this.steadily(perSecond.messages, (number) => this.say(number));
    this.steadily(perSecond.requests, (number) => this.read(READS[number % READS.length] as string));
    this.steadily(perSecond.comings, (number) => this.come(number));
    this.steadily(perSecond.posts, (number) => this.post(number));
    this.steadily(perSecond.talks, (number) => this.talk(number));
    for (let slot = 0; slot < asksAtOnce; slot += 1) this.going.push(this.askOn(slot));
  }

  report(): LoadReport {
    const deliveryP99Ms = quantile(this.delays, 0.99);
    this.delays = [];
    const expected = this.sentMs.length * (this.lines.length - 1);
    return {
      ...this.counts,
      messages: this.sentMs.length,
      deliveries: this.deliveries,
      missing: expected - this.deliveries,
      deliveryP99Ms,
      firstFaults: this.firstFaults,
    };
  }

  /** Begins no more work, waits until all work in progress has ended, and disconnects. */
  async stop(): Promise<LoadReport> {
    this.isOver = true;
    await Promise.all(this.going);
    await Promise.all(this.begun);
    await until(
      'every delivery',
      LIMIT_MS,
      () => this.deliveries,
      (count) => count >= this.sentMs.length * (this.lines.length - 1),
    ).catch(() => undefined);
    const report = this.report();
    for (const line of this.lines) line.cut();
    return report;
  }

  private steadily(perSecond: number, work: (number: number) => unknown): void {
    const go = async () => {
      const startedMs = performance.now();
      let done = 0;
      while (!this.isOver) {
        const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1_000);
        for (; done < due; done += 1) this.begin(Promise.resolve(work(done)));
        await pause(4);
      }
    };
    if (perSecond > 0) this.going.push(go());
  }

  private begin(work: Promise<unknown>): void {
    this.begun.add(work);
    void work.catch((error: unknown) => this.fault(String(error))).finally(() => this.begun.delete(work));
  }

  private join(handle: string): Promise<WallLine> {
    const { address, wsPath } = this.plan;
    return WallLine.open(Number(new URL(address).port), `${wsPath}${handle}`, (text) =>
      this.countReceived(text, handle),
    );
  }

  private say(number: number): void {
    this.sentMs.push(performance.now());
    this.lines[number % this.lines.length]?.say(JSON.stringify({ payload: `${number}. ${'x'.repeat(200)}` }));
  }

  private countReceived(text: Buffer, handle: string): void {
    // A visitor receives an unpredictable part of the messages.
    if (!handle.startsWith('member-')) return;
    const at = text.indexOf(PAYLOAD);
    if (at === -1) return;
    this.deliveries += 1;
    const from = at + PAYLOAD.length;
    this.delays.push(
      performance.now() - (this.sentMs[Number.parseInt(text.toString('latin1', from, from + 12), 10)] as number),
    );
  }

  private async read(path: string): Promise<void> {
    await this.good('GET', path);
    this.counts.requests += 1;
  }

  private async come(number: number): Promise<void> {
    const line = await this.join(`visitor-${number % HANDLES}`);
    await pause(STAY_MS);
    line.cut();
    this.counts.comings += 1;
  }

  private async post(number: number): Promise<void> {
    const { clusterPath, admin } = this.plan;
    await this.good(
      'POST',
      `${clusterPath}/boards/jobs/posts?agent=poster-${number % HANDLES}`,
      { title: `Post ${number}`, body: 'x', ttl: '24h' },
      admin,
    );
    this.counts.posts += 1;
  }

  /** Creates a conversation, sends one message, and deletes the conversation once it is answered. */
  private async talk(number: number): Promise<void> {
    const made = await this.good('POST', '/conversations', { member: 'reader', title: `Talk ${number}` });
    if (!made) return;
    const path = `/conversations/${made.body.conv}`;
    await this.good('POST', `${path}/messages`, { text: QUESTIONS[number % QUESTIONS.length] });
    await until(
      'a turn answered',
      LIMIT_MS,
      async () =>
        (await callHttp(this.plan.address, 'GET', `${path}/messages`))?.body.turns as { state: string }[] | undefined,
      (turns) => turns?.[0] !== undefined && !['running', 'queued'].includes(turns[0].state),
    );
    await this.good('DELETE', path);
    this.counts.talks += 1;
  }

  private async askOn(slot: number): Promise<void> {
    const headers = { authorization: `Bearer ${this.plan.askToken}` };
    for (let number = slot; !this.isOver; number += 1) {
      const accepted = await this.good(
        'POST',
        '/team/consultant/ask',
        { text: QUESTIONS[number % QUESTIONS.length] },
        headers,
      );
      if (!accepted) {
        await pause(100);
        continue;
      }
      for (let status = ''; status !== 'done'; ) {
        const record = await this.good('GET', `${accepted.body.poll}?wait=10`, undefined, headers);
        status = record?.body.status ?? 'error';
        if (status === 'error') {
          if (this.plan.clockMoves && record?.body.error?.code === 'deadline') break;
          this.fault(`an ask ended with ${JSON.stringify(record?.body.error)}`);
          break;
        }
      }
      this.counts.asks += 1;
    }
  }

  private async good(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    const answer = await callHttp(this.plan.address, method, path, body, headers);
    if (answer && answer.status < 300) return answer;
    this.fault(
      `${method} ${path}: ` +
        `${answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body).slice(0, 100)}`}`,
    );
    return undefined;
  }

  private fault(words: string): void {
    this.counts.faults += 1;
    if (this.firstFaults.length < FIRST_FAULTS) this.firstFaults.push(words);
  }
}

const load = new Load(JSON.parse(process.argv[2] as string) as LoadPlan);
process.on('message', async (word) => {
  if (word === 'report') process.send?.(load.report());
  else if (word === 'stop') {
    process.send?.(await load.stop());
    process.disconnect();
  }
});
await load.start();
process.send?.('ready');
