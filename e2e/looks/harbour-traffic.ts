import type { AskAccepted, AskRecord } from '../../daemon/contract/asks.js';
import type { Conversation, MessageAccepted, MessageList } from '../../daemon/contract/conversations.js';
import type { Call } from '../../daemon/contract/payments.js';
import type { MemberDetail } from '../../daemon/contract/team.js';
import { expect } from '../fixtures.js';
import type { Step } from '../scripted-agent.js';
import type { FixedDaemon } from './fixed-daemon.js';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Polls `read` until `isIt` accepts its value, and returns that value. */
export async function until<T>(read: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
  let value: T | undefined;
  await expect
    .poll(
      async () => {
        value = await read();
        return isIt(value);
      },
      { intervals: [20, 50, 100], timeout: 30_000 },
    )
    .toBe(true);
  return value as T;
}

/** A request that an agent program works on until it is let go. */
interface RunningAsk {
  request_id: string;
  poll: string;
  headers: Record<string, string>;
  read(): Promise<AskRecord>;
  open(): void;
}

/** Asks of programs and conversations of the operator, each with the steps of the agent program and its duration. */
export class HarbourTraffic {
  private sent = 0;

  constructor(readonly daemon: FixedDaemon) {}

  /** Returns the headers of a program that may ask the member. */
  async caller(member: string, program: string): Promise<Record<string, string>> {
    const { token } = await this.daemon.api<MemberDetail>('GET', `/team/${member}`);
    return { authorization: `Bearer ${token ?? ''}`, 'user-agent': program };
  }

  /** Asks a member as `program` does. Resolves when the member works on it; `open` lets it finish. */
  async begin(member: string, text: string, program: string, ...steps: Step[]): Promise<RunningAsk> {
    const { agent } = this.daemon;
    this.sent += 1;
    const name = `ask-${this.sent}`;
    agent.playsTo(
      text,
      { tool: { name: 'Grep', input: { pattern: text.split(' ').at(-1) }, output: '' } },
      agent.gate(name),
      ...steps,
    );
    const headers = await this.caller(member, program);
    const { request_id, poll } = await this.daemon.api<AskAccepted>('POST', `/team/${member}/ask`, { text }, headers);
    const read = () => this.daemon.api<AskRecord>('GET', `/requests/${request_id}`);
    await until(read, ({ status }) => status === 'running');
    return { request_id, poll, headers, read, open: () => agent.open(name) };
  }

  /** Asks a member as `program` does, which runs for `ms` and is collected once. Returns the id of the request. */
  async ask(member: string, text: string, program: string, ms: number, ...steps: Step[]): Promise<string> {
    const { request_id, poll, headers, read, open } = await this.begin(member, text, program, ...steps);
    await this.daemon.pass(ms);
    open();
    await until(read, ({ status }) => status === 'done' || status === 'error');
    await this.daemon.pass(2 * SECOND);
    await this.daemon.api<AskRecord>('GET', poll, undefined, headers);
    return request_id;
  }

  /** Begins a conversation of the operator with the member. Returns its id. */
  async converse(member: string): Promise<string> {
    return (await this.daemon.api<Conversation>('POST', '/conversations', { member })).conv;
  }

  /** Posts a message whose turn runs for `ms`. Resolves when the turn has ended or waits for a permission. */
  async say(conv: string, text: string, ms: number, ...steps: Step[]): Promise<void> {
    const { agent } = this.daemon;
    this.sent += 1;
    const name = `say-${this.sent}`;
    const [first = {}, ...rest] = steps;
    agent.playsTo(text, first, agent.gate(name), ...rest);
    await this.daemon.api<MessageAccepted>('POST', `/conversations/${conv}/messages`, { text });
    const read = () => this.daemon.api<Conversation>('GET', `/conversations/${conv}`);
    // Waits until the first step has reached the daemon, so that the following duration is exact.
    await until(read, ({ messages, running }) => running !== null && messages > 0);
    await this.daemon.pass(ms);
    agent.open(name);
    await until(read, ({ running, permissions }) => running === null || permissions.length > 0);
  }

  /** Marks a conversation as read, so that the pictures do not depend on which page is opened first. */
  async look(conv: string): Promise<void> {
    const { messages } = await this.daemon.api<MessageList>('GET', `/conversations/${conv}/messages`);
    await this.daemon.api('PATCH', `/conversations/${conv}`, { read: messages.at(-1)?.id });
  }

  /** Calls the exposed member as an agent, paid for each call. */
  call(text: string): Promise<Call> {
    const body = { agent: 'lamp-consultant', skill: 'ask', input: { text }, mode: 'x402' };
    return this.daemon.api<Call>('POST', '/calls', body);
  }
}
