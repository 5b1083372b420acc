import { isObject } from '../../lib/is-object.js';
import { CallError, formatErrorBody } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import { type PayingParts, pause } from './paying-ports.js';
import { postSkill, type TimedAnswer } from './skill-request.js';
import type { SpentRow } from './spent-store.js';
import { parseReason } from './terms/challenge.js';

const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 10_000;
/** Number of server errors of the agent itself, without a refund, after which a call counts as not delivered. */
const SERVER_ERRORS = 6;
/** Added to the expiry of the challenge: an agent that has not accepted the proof by then never will. */
const GRACE_SECONDS = 60;
const KEY = /^tk_[A-Za-z0-9_-]{16,128}$/;
/** Reasons that are temporary: the same proof may be accepted later. Agents of version 0.1.0 send the last one. */
const PASSING: ReadonlySet<string> = new Set(['not_yet_visible', 'network_unavailable', 'network_unreachable']);

/**
 * The result of presenting a proof. With `refund`, the agent could not run the call and keeps the payment as a balance.
 */
interface Delivered {
  answer: TimedAnswer;
  refund: { api_key: string; lamports: number } | undefined;
}

/** Returns the balance to which the price of a failed call was refunded. */
function refundIn(body: unknown, row: SpentRow): Delivered['refund'] {
  const { refund } = (typeof body === 'object' && body !== null ? body : {}) as {
    refund?: { api_key?: unknown; lamports?: unknown };
  };
  const { api_key, lamports } = refund ?? {};
  if (
    typeof api_key !== 'string' ||
    !KEY.test(api_key) ||
    typeof lamports !== 'number' ||
    !Number.isSafeInteger(lamports)
  )
    return undefined;
  return { api_key, lamports: Math.max(0, Math.min(lamports, row.amount_lamports)) };
}

/**
 * Reports whether a server error says that the call itself failed. The other ones pass: that the agent is overloaded or
 * restarts, or what a proxy in front of it answers meanwhile.
 */
function isOwnFailure(status: number, body: unknown): boolean {
  const isGateway = (status >= 502 && status <= 504) || (status >= 520 && status <= 530);
  return status >= 500 && !isGateway && isObject(body) && 'error' in body;
}

/**
 * Reports whether a refusal passes: the agent is asked too early or too often, still carries the call out for an
 * earlier request, or is away, so that a proxy in front of it (ngrok, Traefik) answers 404 for it.
 */
function isPassingRefusal(status: number, body: unknown): boolean {
  if (status === 404) return !isObject(body);
  if (status === 409) return isObject(body) && body['error'] === 'in_flight';
  return status === 402 || status === 408 || status === 425 || status === 429;
}

/**
 * Calls a skill with the proof of its payment, and retries while that may help: after no response, a refusal that
 * passes, a server error, or a 402 that says that the transfer is not visible yet. Presenting the same proof again is
 * free of charge, so nothing is paid twice. `findUrl` is asked each time; a CallError of it is no response. Throws
 * `payment_refused` when the agent rejects the proof, and `not_delivered` when it accepted it without a usable
 * response, when it failed six times itself, or when the deadline has passed.
 */
export async function deliver(
  parts: Pick<PayingParts, 'clock' | 'exchange' | 'signer'>,
  { findUrl, call, row }: { findUrl: () => Promise<string>; call: CallRow; row: SpentRow },
  signal: AbortSignal,
): Promise<Delivered> {
  const { clock } = parts;
  const headers = { 'x-payment-proof': row.signature as string, 'x-payment-nonce': row.nonce as string };
  const giveUpMs = Math.max((row.expires_at ?? 0) + GRACE_SECONDS, clock.now() / 1000 + GRACE_SECONDS) * 1000;
  const present = async () =>
    postSkill(parts, { url: await findUrl(), input: call.input, isSigned: true, headers }, signal);
  let serverErrors = 0;
  let last = 'no answer';
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const answer = await present().catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
      last = error.message;
      return undefined;
    });
    if (answer) {
      const { status, json } = answer;
      const refund = status >= 400 ? refundIn(json, row) : undefined;
      if (refund) return { answer, refund };
      if (status >= 200 && status < 300) {
        if (json === undefined) throw new CallError('not_delivered', 'It took the payment and answered with no JSON.');
        return { answer, refund: undefined };
      }
      last = formatErrorBody(status, json);
      if (status === 402 && !PASSING.has(parseReason(json)))
        throw new CallError('payment_refused', `It does not take the proof: ${last}.`);
      if (isOwnFailure(status, json)) serverErrors += 1;
      const isRefused = status >= 400 && status < 500 && !isPassingRefusal(status, json);
      if (isRefused || serverErrors >= SERVER_ERRORS)
        throw new CallError('not_delivered', `It took the payment and did not deliver: ${last}.`);
    }
    if (clock.now() > giveUpMs)
      throw new CallError('not_delivered', `The payment was made and nothing came of it: ${last}.`);
    await pause(clock, wait, signal);
  }
}
