import { randomUUID } from 'node:crypto';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Citation, Receipt } from '../../../contract/asks.js';
import {
  NETWORK_ASK_MS,
  NETWORK_ASK_VERSION,
  NETWORK_SILENCE_MS,
  type NetworkAgent,
  type NetworkAnswer,
  type NetworkAsk,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { jcs } from '../../../lib/crypto/jcs.js';
import { verifyReceipt } from '../../../lib/crypto/receipt.js';
import { MeshError } from '../../../lib/errors.js';
import { type Clock, isoTime } from '../../../lib/time/clock.js';
import { toBase64, toBase64Url } from '../command-envelope.js';
import { askSubject, readFrame, signRequest } from './signed-messages.js';

/** Most characters of an answer that are shown while it is written. */
const PARTIAL_CHARS_MAX = 256 * 1024;
/** The status of a reply for a subject that nobody listens on. */
const NO_RESPONDERS = 503;

export interface ColleagueAskParts {
  connection: Pick<NatsConnection, 'publish' | 'subscribe' | 'isClosed'>;
  network: string;
  key: SigningKey;
  clock: Clock;
  /** Returns the current key of a daemon, base64url. */
  findKey: (daemon: string) => string | undefined;
  /** Called after each change. */
  onChanged: (id: string) => void;
}

const newInbox = () => `_INBOX.${randomUUID().replaceAll('-', '')}`;

interface Question {
  text: string;
  session?: string;
}

/** Whether the receipt is of this answer to this question, by the daemon that was asked. */
function isReceiptOf(receipt: Receipt, key: string, question: string, answer: NetworkAnswer): boolean {
  const { pubkey, question_sha256, answer_sha256, citations_sha256 } = receipt;
  return (
    pubkey === toBase64(key) &&
    question_sha256 === sha256Hex(question) &&
    answer_sha256 === sha256Hex(answer.result_text) &&
    citations_sha256 === sha256Hex(jcs(answer.citations satisfies Citation[])) &&
    verifyReceipt(receipt).valid
  );
}

/**
 * One ask of a member of another daemon. What comes back is untrusted: only frames that the asked daemon signed, in
 * their order, within limits of size and time. It ends exactly once, at the latest after half an hour.
 */
export class ColleagueAsk {
  readonly id = randomUUID();
  private record: NetworkAsk;
  private subscription: Subscription | undefined;
  private seq = -1;
  private cancelSilence: () => void = () => undefined;
  private cancelDeadline: () => void = () => undefined;

  constructor(
    private readonly parts: ColleagueAskParts,
    private readonly agent: NetworkAgent,
    private readonly question: Question,
  ) {
    const { ref, daemon, daemon_name, member } = agent;
    this.record = {
      id: this.id,
      ...{ to: ref, daemon, daemon_name, member },
      text: question.text,
      status: 'sent',
      created_at: isoTime(parts.clock.now()),
      finished_at: null,
    };
  }

  get isOver(): boolean {
    return this.record.finished_at !== null;
  }

  view(): NetworkAsk {
    return this.record;
  }

  /** Sends the question. */
  send(): void {
    const { connection, clock } = this.parts;
    const inbox = newInbox();
    this.subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error || this.isOver) return;
        if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) this.fail(this.explainAbsence());
        else this.hear(message.data);
      },
    });
    this.cancelDeadline = clock.after(NETWORK_ASK_MS, () => {
      this.sendCancel();
      this.fail(new MeshError('deadline', 'The member did not finish its answer in half an hour.'));
    });
    this.listen();
    this.publish(inbox, { kind: 'ask', ...this.question });
  }

  /** Ends the ask here, and notifies the other daemon. */
  cancel(): void {
    if (this.isOver) return;
    this.sendCancel();
    this.end({ status: 'error', error: { code: 'cancelled', message: 'You cancelled it.' } });
  }

  /** Ends the ask because of an error on this side. */
  fail({ code, message }: Pick<MeshError, 'code' | 'message'>): void {
    if (!this.isOver) this.end({ status: 'error', error: { code, message } });
  }

  private sendCancel(): void {
    this.publish(newInbox(), { kind: 'cancel', ask: this.id });
  }

  private publish(reply: string, body: NetworkRequest['body']): void {
    const { connection, network, key, clock } = this.parts;
    const { daemon: to, member } = this.agent;
    if (connection.isClosed()) return;
    const request: NetworkRequest = {
      v: NETWORK_ASK_VERSION,
      id: body.kind === 'ask' ? this.id : randomUUID(),
      at: clock.now(),
      key: toBase64Url(key.pubkey),
      ...{ to, member, reply, body },
    };
    connection.publish(askSubject(network, to, member), signRequest(key, network, request), { reply });
  }

  /** Waits for the next sign of life. */
  private listen(): void {
    this.cancelSilence();
    this.cancelSilence = this.parts.clock.after(NETWORK_SILENCE_MS, () => this.fail(this.explainAbsence()));
  }

  private explainAbsence(): MeshError {
    const { daemon_name } = this.agent;
    const seconds = NETWORK_SILENCE_MS / 1_000;
    return new MeshError(
      'network_unavailable',
      this.record.status === 'sent'
        ? `The daemon ${daemon_name} does not answer: ask again when it is connected to the network.`
        : `The daemon ${daemon_name} has said nothing for ${seconds} seconds: ask again when it is connected to ` +
            'the network.',
    );
  }

  private hear(data: Uint8Array): void {
    const { network, findKey } = this.parts;
    const key = findKey(this.agent.daemon);
    const frame = key === undefined ? undefined : readFrame(network, key, data);
    // Frames of others, of another request and those heard before are nothing that this daemon said now.
    if (!frame || key === undefined || frame.re !== this.id || frame.seq <= this.seq) return;
    const isNext = frame.seq === this.seq + 1;
    this.seq = frame.seq;
    this.listen();
    this.take(frame.body, isNext, key);
  }

  private take(body: NetworkFrame['body'], isNext: boolean, key: string): void {
    switch (body.kind) {
      case 'state': {
        const { queue_position: _, ...record } = this.record;
        const { status, queue_position } = body;
        this.change({ ...record, status, ...(queue_position === undefined ? {} : { queue_position }) });
        break;
      }
      case 'delta': {
        const text = isNext ? (this.record.text_so_far ?? '') + body.text : '';
        if (text.length <= PARTIAL_CHARS_MAX) this.change({ ...this.record, text_so_far: text });
        break;
      }
      case 'done': {
        const { receipt, ...answer } = body.answer;
        const isGenuine = receipt !== undefined && isReceiptOf(receipt, key, this.question.text, body.answer);
        this.end({ status: 'done', ...answer, ...(isGenuine ? { receipt } : {}) });
        break;
      }
      case 'refused':
        this.end({ status: 'error', error: { code: body.code, message: body.message } });
    }
  }

  private end(ending: Pick<NetworkAsk, 'status'> & Partial<NetworkAsk>): void {
    this.cancelSilence();
    this.cancelDeadline();
    this.subscription?.unsubscribe();
    const { text_so_far: _, queue_position: __, ...record } = this.record;
    this.change({ ...record, ...ending, finished_at: isoTime(this.parts.clock.now()) });
  }

  private change(record: NetworkAsk): void {
    this.record = record;
    this.parts.onChanged(this.id);
  }
}
