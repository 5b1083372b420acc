import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, EXIT } from '../exit-codes.js';
import { exchange, type McpReply, parsed, type RpcMessage, UnansweredError } from './mcp-exchange.js';
import { createHeaders, getProtocolVersion } from './mcp-headers.js';

/** The address of a member and the token for it. */
export interface McpTarget {
  url: string;
  token: string;
}

interface McpBridgePorts {
  /** Finds the project's daemon, which must prove its identity, and the member's token. Throws CommandError. */
  find(): Promise<McpTarget>;
  /** Writes a message to the client. */
  write(message: RpcMessage): void;
  /** Prints a remark for the user. */
  note(line: string): void;
}

/** How long the bridge waits for a daemon that is gone. */
const RETURN_MS = 20_000;
const LOOK_EVERY_MS = 250;
const FAREWELL_MS = 1_000;
const ATTEMPTS = 3;
const CANCELLED = 'notifications/cancelled';
const INITIALIZED = 'notifications/initialized';
const LISTEN = 'subscriptions/listen';

interface Running {
  controller: AbortController;
  /** The request is cancelled by closing the connection; in the previous protocol it is cancelled by a message. */
  isHungUp: boolean;
}

/**
 * Forwards the messages of a client on stdio to a member and back, for every supported revision of the protocol. When
 * the daemon is restarted, the bridge finds it again and renews a session of the previous protocol, transparently to
 * the client. A request in progress at that time is answered with an error, because its effect is unknown.
 */
export class McpBridge {
  private readonly running = new Map<string | number, Running>();
  private readonly ended = new AbortController();
  /** Must settle before the next message is sent: messages arrive in the order in which they were written. */
  private gate: Promise<unknown> = Promise.resolve();
  private greeting: RpcMessage | undefined;
  private session: { id: string; version: string } | undefined;
  private renewing: Promise<void> | undefined;
  private renewals = 0;
  /** Requests that end by themselves and are not answered yet. */
  private readonly pending = new Set<Promise<void>>();

  constructor(private readonly ports: McpBridgePorts) {}

  /** Handles one line of the client. */
  receive(line: string): void {
    if (line.trim() === '') return;
    const message = parsed(line);
    if (!message) this.ports.write(createErrorResponse(null, -32700, 'A line must be one JSON-RPC message.'));
    else if (message.method !== undefined && message.id !== undefined) this.request(message, message.id);
    else if (!this.cancelRunning(message)) this.gate = this.gate.then(() => this.notify(message));
  }

  /** Resolves once everything that was received is answered, except for subscriptions, which have no end. */
  async settle(): Promise<void> {
    await this.gate;
    await Promise.all(this.pending);
    await this.gate;
  }

  /** Cancels all pending work and ends the session: the client is gone. */
  async close(): Promise<void> {
    this.ended.abort();
    if (!this.session) return;
    const { url, token } = await this.ports.find();
    const signal = AbortSignal.timeout(FAREWELL_MS);
    (await exchange({ method: 'DELETE', url, headers: this.headers(token), signal })).drop();
  }

  /** Handles a message that cancels a request by closing its connection. Returns false for any other message. */
  private cancelRunning({ method, params }: RpcMessage): boolean {
    const id = method === CANCELLED ? params?.['requestId'] : undefined;
    const running = typeof id === 'string' || typeof id === 'number' ? this.running.get(id) : undefined;
    if (!running?.isHungUp) return false;
    running.controller.abort();
    return true;
  }

  private request(message: RpcMessage, id: string | number): void {
    const controller = new AbortController();
    this.running.set(id, { controller, isHungUp: getProtocolVersion(message) !== undefined });
    const answer = () => this.answer(message, id, AbortSignal.any([controller.signal, this.ended.signal]));
    const answered = this.gate.then(answer);
    if (message.method === 'initialize') {
      this.greeting = message;
      this.session = undefined;
      this.gate = answered;
    } else if (message.method !== LISTEN) {
      // The gate does not wait for it: requests run concurrently.
      this.pending.add(answered);
      void answered.then(() => this.pending.delete(answered));
    }
  }

  private async answer(message: RpcMessage, id: string | number, signal: AbortSignal): Promise<void> {
    try {
      const isAnswered = await this.deliver(message, signal);
      if (isAnswered || signal.aborted) return;
      this.ports.write(createErrorResponse(id, -32000, 'The daemon broke off before it answered: ask again.'));
    } catch (error) {
      if (!signal.aborted) this.ports.write(createErrorResponse(id, -32000, getErrorMessage(error)));
    } finally {
      this.running.delete(id);
    }
  }

  /** Sends a notification, or a response to a request of the daemon. The client awaits no result. */
  private async notify(message: RpcMessage): Promise<void> {
    try {
      await this.deliver(message, this.ended.signal);
      if (message.method === INITIALIZED) void this.listen();
    } catch (error) {
      if (!this.ended.signal.aborted) this.ports.note(getErrorMessage(error));
    }
  }

  /** Sends a message and writes the replies. Returns whether the message itself was answered. */
  private async deliver(message: RpcMessage, signal: AbortSignal): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      const session = this.session?.id;
      let reply: McpReply;
      try {
        reply = await this.send(message, signal);
      } catch (error) {
        // A message that may have arrived is not sent again: the question would be asked twice.
        if (isLast || signal.aborted || !(error instanceof UnansweredError) || error.mayHaveArrived) throw error;
        continue;
      }
      if (reply.status === 401 && !isLast) {
        // The token has changed: the next attempt reads the new one.
        reply.drop();
        continue;
      }
      if (reply.status === 404 && session !== undefined && message.method !== 'initialize' && !isLast) {
        reply.drop();
        await this.renew(session, signal);
        continue;
      }
      return this.pass(reply, message);
    }
  }

  private async pass(reply: McpReply, message: RpcMessage): Promise<boolean> {
    const { id, method } = message;
    let isAnswered = false;
    const isRefused = reply.status >= 400;
    const said = isRefused ? await reply.text() : undefined;
    const body = said === undefined ? undefined : parsed(said);
    if (isRefused && body?.jsonrpc === undefined) {
      const { error, message: sentence } = (body ?? {}) as { error?: unknown; message?: unknown };
      if (id === undefined)
        this.ports.note(`The daemon refused ${method ?? 'an answer'}: ${String(sentence ?? reply.status)}`);
      else
        this.ports.write(
          createErrorResponse(id, -32000, String(sentence ?? `The daemon answered ${reply.status}.`), { error }),
        );
      return true;
    }
    for await (const one of isRefused ? onlyOne(body) : reply.messages()) {
      const isTheAnswer = one.method === undefined && one.id === id;
      if (isTheAnswer && method === 'initialize') this.begun(reply, one);
      isAnswered ||= isTheAnswer;
      if (id !== undefined || one.method !== undefined) this.ports.write(one);
    }
    return isAnswered;
  }

  private begun({ session }: McpReply, { result }: RpcMessage): void {
    const version = result?.['protocolVersion'];
    if (session !== undefined && typeof version === 'string') this.session = { id: session, version };
  }

  /** Starts a new session in place of one that the daemon does not know. */
  private async renew(lost: string, signal: AbortSignal): Promise<void> {
    if (this.session?.id !== lost) return;
    this.renewing ??= this.begin(signal).finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
  }

  private async begin(signal: AbortSignal): Promise<void> {
    this.session = undefined;
    this.renewals += 1;
    const greeting = { ...this.greeting, id: `meshd-${this.renewals}` };
    const reply = await this.send(greeting, signal);
    for await (const one of reply.messages()) if (one.id === greeting.id) this.begun(reply, one);
    (await this.send({ jsonrpc: '2.0', method: INITIALIZED }, signal)).drop();
    void this.listen();
  }

  /** Forwards messages that the daemon initiates in a session, for as long as it lasts. */
  private async listen(): Promise<void> {
    if (!this.session) return;
    try {
      const { url, token } = await this.reach(this.ended.signal);
      const reply = await exchange({ method: 'GET', url, headers: this.headers(token), signal: this.ended.signal });
      if (reply.status !== 200) return reply.drop();
      for await (const message of reply.messages()) this.ports.write(message);
    } catch {
      // Started again with the next session.
    }
  }

  private async send(message: RpcMessage, signal: AbortSignal): Promise<McpReply> {
    const { url, token } = await this.reach(signal);
    const headers = { ...this.headers(token), ...createHeaders(message) };
    return exchange({ method: 'POST', url, headers, body: message, signal });
  }

  private headers(token: string): Record<string, string> {
    const { session } = this;
    return {
      authorization: `Bearer ${token}`,
      ...(session ? { 'mcp-session-id': session.id, 'mcp-protocol-version': session.version } : {}),
    };
  }

  /** Returns the daemon once it is available; waits while it is restarted. Throws CommandError. */
  private async reach(signal: AbortSignal): Promise<McpTarget> {
    const giveUpMs = performance.now() + RETURN_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.ports.find();
      } catch (error) {
        const isGone = error instanceof CommandError && error.exit === EXIT.unreachable;
        if (!isGone || signal.aborted || performance.now() > giveUpMs) throw error;
        if (isFirst) this.ports.note('The daemon is gone; waiting for it to come back.');
        await pause(LOOK_EVERY_MS);
      }
    }
  }
}

async function* onlyOne(message: RpcMessage | undefined): AsyncIterable<RpcMessage> {
  if (message) yield message;
}

const createErrorResponse = (id: string | number | null, code: number, message: string, data?: unknown) =>
  ({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }) as RpcMessage;

const getErrorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
