import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import {
  NETWORK_ASK_VERSION,
  NETWORK_ASKS_PER_DAEMON,
  NETWORK_BEAT_MS,
  NETWORK_FRAME_BYTES_MAX,
  type NetworkAnswer,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { isMeshError, MeshError } from '../../../lib/errors.js';
import { type Clock, every } from '../../../lib/time/clock.js';
import { getDaemonName, type NetworkDaemon } from '../network-store.js';
import type { AskingDaemon } from './reachable-members.js';
import { RequestGuard } from './request-guard.js';
import type { SharedMembers } from './shared-members.js';
import { askSubject, readRequest, signFrame } from './signed-messages.js';

/** Messages that are looked at in a second; a signature takes a tenth of a millisecond. Others get no answer. */
const MESSAGES_PER_SECOND = 200;
const DELTA_CHARS = 16_384;
const SESSION_CHARS = 40;

interface AskServiceParts {
  connection: Pick<NatsConnection, 'publish' | 'subscribe' | 'isClosed'>;
  network: string;
  key: SigningKey;
  clock: Clock;
  /** The id of this daemon. */
  self: () => string;
  /** Returns the daemon whose key it is, if it is bound. */
  findDaemon: (key: string) => NetworkDaemon | undefined;
  /** The members of this daemon, and which of them the operator shares. */
  members: Pick<SharedMembers, 'reachable' | 'isShared'>;
  warn: (message: string) => void;
}

interface Running {
  member: string;
  requestId: string;
  daemon: string;
}

/** Sends the frames of one answer to the inbox of who asked. */
class Reply {
  private seq = 0;

  constructor(
    private readonly parts: Pick<AskServiceParts, 'connection' | 'key' | 'network'>,
    private readonly request: Pick<NetworkRequest, 'id' | 'reply'>,
  ) {}

  send(body: NetworkFrame['body']): void {
    const { connection, key, network } = this.parts;
    if (connection.isClosed()) return;
    const frame = { v: NETWORK_ASK_VERSION, re: this.request.id, seq: this.seq, body } as const;
    this.seq += 1;
    connection.publish(this.request.reply, signFrame(key, network, frame));
  }

  refuse(error: unknown): void {
    const known = isMeshError(error) ? error : new MeshError('internal', 'The daemon of the member failed.');
    this.send({ kind: 'refused', code: known.code, message: known.message.slice(0, 1_000) });
  }
}

/** A session of one daemon is its own: no other daemon and no program continues it by the name. */
const toSession = (daemon: string, session: string) =>
  `net-${sha256Hex(`${daemon}\n${session}`).slice(0, SESSION_CHARS)}`;

/** Leaves out the last citations until the answer fits into a frame. Throws `too_large` when its text does not. */
function toFitting(answer: NetworkAnswer): NetworkAnswer {
  // The frame is JSON in JSON, which escapes quotes and line breaks twice.
  const isTooLarge = (one: NetworkAnswer) =>
    Buffer.byteLength(JSON.stringify(JSON.stringify(one))) > NETWORK_FRAME_BYTES_MAX - 4_096;
  let fitting = answer;
  while (isTooLarge(fitting)) {
    const { citations, receipt: _, ...rest } = fitting;
    if (citations.length === 0) throw new MeshError('too_large', 'The answer is larger than the network takes.');
    const fewer = citations.slice(0, Math.floor(citations.length / 2));
    fitting = { ...rest, total: answer.total ?? answer.citations.length, citations: fewer };
  }
  return fitting;
}

/**
 * Answers daemons of the network for the members that the operator shares with it. Who asks is untrusted: a request is
 * signed by a daemon of the network for this one, is taken once, and counts towards limits of its daemon and the
 * member.
 */
export class AskService {
  private readonly guard: RequestGuard;
  /** Asks under way, by daemon and request. */
  private readonly running = new Map<string, Running>();
  private readonly stopping = new AbortController();
  private subscription: Subscription | undefined;
  private second = { since: 0, count: 0 };

  constructor(private readonly parts: AskServiceParts) {
    this.guard = new RequestGuard(parts.clock);
  }

  /** Listens under the id of this daemon. Must be called again when the network has registered it. */
  start(): void {
    const { connection, network, self } = this.parts;
    const subject = askSubject(network, self(), '*');
    if (this.subscription?.getSubject() === subject) return;
    this.subscription?.unsubscribe();
    this.subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) void this.hear(message.subject, message.data);
      },
    });
  }

  stop(): void {
    this.stopping.abort();
    this.subscription?.unsubscribe();
  }

  private async hear(subject: string, data: Uint8Array): Promise<void> {
    if (this.isFlooded()) return;
    const { network, self, findDaemon } = this.parts;
    const request = readRequest(network, data);
    // What is not signed, or was for somebody else, gets no answer: nobody is told anything at another's cost.
    if (!request || request.to !== self() || subject !== askSubject(network, request.to, request.member)) return;
    const daemon = findDaemon(request.key);
    if (!daemon || daemon.left_ms !== null) return;
    const reply = new Reply(this.parts, request);
    try {
      if (!this.guard.take(daemon.id, request)) return;
      if (request.body.kind === 'cancel') await this.cancel(daemon.id, request.member, request.body.ask);
      else await this.answer(request, request.body, { id: daemon.id, name: getDaemonName(daemon) }, reply);
    } catch (error) {
      if (!isMeshError(error)) this.parts.warn(`an ask of the network failed: ${String(error)}`);
      reply.refuse(error);
    }
  }

  private async answer(
    { id, member }: NetworkRequest,
    { text, session }: Extract<NetworkRequest['body'], { kind: 'ask' }>,
    asking: AskingDaemon,
    reply: Reply,
  ): Promise<void> {
    const { reachable } = this.parts.members;
    this.requireShared(member);
    const place = `${asking.id} ${id}`;
    if ([...this.running.values()].filter(({ daemon }) => daemon === asking.id).length >= NETWORK_ASKS_PER_DAEMON)
      throw new MeshError(
        'too_many_requests',
        `${NETWORK_ASKS_PER_DAEMON} asks of your daemon are already running or queued here: wait for one to end.`,
      );
    // Counted before anything is awaited.
    const running = { member, requestId: '', daemon: asking.id };
    this.running.set(place, running);
    try {
      const question = { text, ...(session === undefined ? {} : { session: toSession(asking.id, session) }) };
      running.requestId = await reachable.accept(member, question, asking);
      await this.sendResult(running, reply);
    } finally {
      this.running.delete(place);
    }
  }

  private async sendResult({ member, requestId }: Running, reply: Reply): Promise<void> {
    const {
      clock,
      members: { reachable },
    } = this.parts;
    const { signal } = this.stopping;
    const stopBeating = every(clock, NETWORK_BEAT_MS, () => {
      void reachable.read(member, requestId).then(
        (now) => {
          if ('kind' in now && !signal.aborted) reply.send(now);
        },
        () => undefined,
      );
    });
    try {
      for await (const news of reachable.follow(member, requestId, signal)) {
        if (news.kind === 'state') reply.send(news);
        else
          for (let at = 0; at < news.text.length; at += DELTA_CHARS)
            reply.send({ kind: 'delta', text: news.text.slice(at, at + DELTA_CHARS) });
      }
    } finally {
      stopBeating();
    }
    if (signal.aborted) return;
    const end = await reachable.read(member, requestId);
    // The operator may have closed the member meanwhile.
    this.requireShared(member);
    if ('answer' in end) reply.send({ kind: 'done', answer: toFitting(end.answer) });
    else if ('error' in end) reply.send({ kind: 'refused', ...end.error });
  }

  /** Cancels an ask of the same daemon. Another's, and one that has ended, is left alone. */
  private async cancel(daemon: string, member: string, ask: string): Promise<void> {
    const running = this.running.get(`${daemon} ${ask}`);
    if (running && running.member === member && running.requestId !== '')
      await this.parts.members.reachable.cancel(member, running.requestId);
  }

  private requireShared(member: string): void {
    const { members } = this.parts;
    if (members.isShared(member) && members.reachable.findCard(member)) return;
    // The same for unknown and internal members, so that the roster cannot be probed.
    throw new MeshError('not_found', 'The daemon shares no such member with the network.');
  }

  private isFlooded(): boolean {
    const now = this.parts.clock.elapsed();
    if (now - this.second.since >= 1_000) this.second = { since: now, count: 0 };
    this.second.count += 1;
    return this.second.count > MESSAGES_PER_SECOND;
  }
}
