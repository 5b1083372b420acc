import type { ClientTest } from '../../../contract/clients.js';
import { getErrorMessage, MeshError } from '../../../lib/errors.js';
import { newClientTestId } from '../../../lib/ids.js';
import { scrubSecrets } from '../../../lib/secrets/secrets.js';
import { type Clock, isoTime } from '../../../lib/time/clock.js';
import type { Client, Turn } from '../client.js';

const LIMIT_SECONDS = 60;
/** A server on this machine may have to load the model first, and Ollama stops doing so when its caller leaves. */
export const LOADING_LIMIT_SECONDS = 300;
const ANSWER_MAX_CHARS = 400;
/** How many tests are remembered. */
const KEPT = 8;
const QUESTION = 'This checks that you can be reached. Use no tool. Answer with the single word: ready';

/** A turn without tools. What the program wants to do is denied. */
const testTurn = (test: string, client: Client): Turn => ({
  conv: test,
  turn: test,
  member: {
    id: 'model-test',
    name: 'Model test',
    body: 'You answer in one word and use no tool.',
    model: client.models()[0] ?? 'strongest',
    effort: 'default',
    tools: [],
    refs: [],
    limits: { turns: 1, minutes: LOADING_LIMIT_SECONDS / 60 },
  },
  text: QUESTION,
  context_docs: [],
  profile: 'operator',
  session: null,
  history: [],
});

interface Run {
  view: Omit<ClientTest, 'ms'>;
  startedMs: number;
  endedMs: number | undefined;
  controller: AbortController;
  ended: Promise<void>;
}

const CANCELLED = new MeshError('not_waiting', 'You stopped the test.');
const late = (seconds: number) =>
  new MeshError(
    'deadline',
    `No answer within ${seconds} s. Start the program once in a terminal and log in there, or look at the endpoint ` +
      'itself, then test again.',
  );

/** Short turns that show whether a client answers: one at a time, each with a limit, in memory only. */
export class ClientTests {
  private readonly runs = new Map<string, Run>();

  /** `onChange` is called when a test starts, receives the first part of an answer, and ends. */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: () => void,
  ) {}

  /** Starts a test and ends the one before it. */
  async start(client: Client, limitSeconds = LIMIT_SECONDS): Promise<ClientTest> {
    await this.stop();
    const test = newClientTestId();
    const run: Run = {
      view: {
        test,
        client: client.name,
        state: 'running',
        stage: 'starting',
        answer: '',
        reason: null,
        limit_seconds: limitSeconds,
        started_at: isoTime(this.clock.now()),
      },
      startedMs: this.clock.elapsed(),
      endedMs: undefined,
      controller: new AbortController(),
      ended: Promise.resolve(),
    };
    this.runs.set(test, run);
    for (const old of [...this.runs.keys()].slice(0, -KEPT)) this.runs.delete(old);
    run.ended = this.run(run, client);
    this.onChange();
    return this.describe(run);
  }

  /** Throws `not_found`. */
  get(test: string): ClientTest {
    return this.describe(this.find(test));
  }

  /** Ends a running test, and resolves when nothing of it runs. One that has ended is unchanged. Throws `not_found`. */
  async cancel(test: string): Promise<ClientTest> {
    const run = this.find(test);
    run.controller.abort(CANCELLED);
    await run.ended;
    return this.describe(run);
  }

  /** Ends the running test. */
  async stop(): Promise<void> {
    for (const { controller } of this.runs.values()) controller.abort(CANCELLED);
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }

  private find(test: string): Run {
    const run = this.runs.get(test);
    if (!run) throw new MeshError('not_found', 'There is no such test: tests are forgotten when the daemon stops.');
    return run;
  }

  private describe({ view, startedMs, endedMs }: Run): ClientTest {
    return { ...view, ms: Math.round((endedMs ?? this.clock.elapsed()) - startedMs) };
  }

  private async run(run: Run, client: Client): Promise<void> {
    const { view, controller } = run;
    const callOff = this.clock.after(view.limit_seconds * 1000, () => controller.abort(late(view.limit_seconds)));
    try {
      // A program that asks to do something is refused: the test is to change nothing.
      for await (const event of client.run(testTurn(view.test, client), controller.signal, async () => 'deny')) {
        if (event.type !== 'text' || event.text === '') continue;
        view.answer = `${view.answer}${event.text}`.slice(0, ANSWER_MAX_CHARS);
        if (view.stage === 'answering') continue;
        view.stage = 'answering';
        this.onChange();
      }
      controller.signal.throwIfAborted();
      view.answer = scrubSecrets(view.answer.trim());
      if (view.answer === '') throw new Error('It ended without an answer: try another model or program.');
      view.state = 'passed';
    } catch (error) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      view.state = reason === CANCELLED ? 'cancelled' : 'failed';
      view.reason = scrubSecrets(getErrorMessage(reason));
    } finally {
      callOff();
      view.stage = 'ended';
      run.endedMs = this.clock.elapsed();
      this.onChange();
    }
  }
}
