import { CALL_ANSWER_LIMIT, SKILL_CALL_SECONDS } from '../../contract/payments.js';
import { getErrorMessage } from '../../lib/errors.js';
import { CallError } from './call-failure.js';
import { type ExchangeAnswer, type PayingParts, StoppedError } from './paying-ports.js';

/** A response with its latency in milliseconds. */
export interface TimedAnswer extends ExchangeAnswer {
  latencyMs: number;
}

/** Returns the `Mesh-Sig` header of a request, signed with the current time. */
export function signedHeaders(
  { signer }: Pick<PayingParts, 'signer'>,
  method: string,
  url: string,
  body: string,
): Record<string, string> {
  const { pathname, search } = new URL(url);
  return { 'mesh-sig': signer.sign(method, `${pathname}${search}`, body) };
}

/**
 * Calls a skill once, with JSON in both directions and limits on bytes and time. Throws `unreachable` when there was no
 * complete response, so that it is unknown whether the skill ran, and Stopped when `signal` fired.
 */
export async function postSkill(
  parts: Pick<PayingParts, 'clock' | 'exchange' | 'signer'>,
  {
    url,
    input,
    isSigned,
    headers = {},
  }: { url: string; input: unknown; isSigned: boolean; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<TimedAnswer> {
  const body = JSON.stringify(input ?? {});
  const startedMs = parts.clock.elapsed();
  try {
    const answer = await parts.exchange.send(
      {
        method: 'POST',
        url,
        body,
        headers: { ...(isSigned ? signedHeaders(parts, 'POST', url, body) : {}), ...headers },
        totalMs: SKILL_CALL_SECONDS * 1000,
        maxBytes: CALL_ANSWER_LIMIT,
      },
      signal,
    );
    return {
      status: answer.status,
      json: answer.json,
      header: answer.header,
      latencyMs: Math.round(parts.clock.elapsed() - startedMs),
    };
  } catch (error) {
    if (signal.aborted) throw new StoppedError('Stopped.');
    throw new CallError('unreachable', `The agent at ${url} did not answer: ${getErrorMessage(error)}`);
  }
}

/** Parses a header as a whole number of lamports; undefined for anything else. */
export function lamportsHeader(answer: Pick<ExchangeAnswer, 'header'>, name: string): number | undefined {
  const text = answer.header(name);
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const lamports = Number(text);
  return Number.isSafeInteger(lamports) ? lamports : undefined;
}
