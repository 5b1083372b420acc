import type { NetworkName } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { parseExactJson } from '../../lib/text/exact-json.js';
import type { Clock } from '../../lib/time/clock.js';

export const ENDPOINT = { totalMs: 10_000, bytes: 8 * 1024 * 1024, tries: 3, pauseMs: 250 } as const;

/** A JSON-RPC error that the server returned. */
export class RpcEndpointError extends Error {
  override readonly name = 'RpcEndpointError';

  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
  }
}

/** The call failed in a way that a retry may fix, `pauseMs` later at the earliest. */
class UnansweredError extends Error {
  constructor(
    message: string,
    readonly pauseMs = 0,
  ) {
    super(message);
  }
}

/** Codes with which a server reports that it lags behind or is overloaded. */
const BUSY = new Set([-32004, -32005, -32014, -32016, -32429, 429]);

/** Statuses by which a server refuses a key or does not know the address, when no JSON-RPC is with them. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 410]);

/**
 * A JSON-RPC server at a configured address. Each call is limited to ten seconds and 8 MiB and follows no redirect; a
 * read is attempted three times. The address may contain a key, so it appears in no message.
 */
export class RpcEndpoint {
  constructor(
    private readonly network: NetworkName,
    private readonly address: string,
    private readonly clock: Clock,
    private readonly pauseMs: number = ENDPOINT.pauseMs,
  ) {}

  /**
   * Returns the result of a read-only call, with retries. Throws RpcEndpointError, and `network_unavailable` when
   * there is no response.
   */
  async read(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.attempt(method, params, ENDPOINT.tries);
  }

  /** Like `read`, with a single attempt. */
  async send(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.attempt(method, params, 1);
  }

  private async attempt(method: string, params: readonly unknown[], tries: number): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.call(method, params);
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error;
        if (attempt >= tries)
          throw new MeshError(
            'network_unavailable',
            `${this.network} cannot be reached: ${error.message} Try again later.`,
            { cause: error },
          );
        const pauseMs = Math.max(error.pauseMs, this.pauseMs * 2 ** (attempt - 1));
        await new Promise<void>((resolve) => void this.clock.after(pauseMs, resolve));
      }
    }
  }

  private async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const deadline = new AbortController();
    const cancel = this.clock.after(ENDPOINT.totalMs, () => deadline.abort());
    let text: string;
    let status: number;
    try {
      const response = await fetch(this.address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        redirect: 'error',
        signal: deadline.signal,
      });
      text = await toText(response);
      // A JSON-RPC error may have any other status.
      ({ status } = response);
      if (status === 429 || status >= 500)
        throw new UnansweredError(`its server answers ${status}.`, toPauseMs(response.headers.get('retry-after')));
    } catch (error) {
      if (error instanceof UnansweredError) throw error;
      throw new UnansweredError(
        deadline.signal.aborted
          ? `its server did not answer within ${ENDPOINT.totalMs / 1000} s.`
          : 'its server does not answer.',
      );
    } finally {
      cancel();
    }
    const answer = parseAnswer(text);
    if (answer !== undefined) return resultIn(answer);
    if (!REFUSALS.has(status)) throw new UnansweredError('its server answers no JSON.');
    throw new MeshError(
      'network_unavailable',
      `${this.network} cannot be reached: its server answers ${status}. Check its address and the key in it.`,
    );
  }
}

/** The wait that a `Retry-After` in seconds asks for, of which no more than a call's own time is kept. */
const toPauseMs = (after: string | null): number =>
  /^\d{1,6}$/.test(after ?? '') ? Math.min(Number(after) * 1000, ENDPOINT.totalMs) : 0;

async function toText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ENDPOINT.bytes)
      throw new UnansweredError(`its server's answer is larger than ${ENDPOINT.bytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface RpcAnswer {
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown } | null;
}

/** Returns undefined for a text that is not JSON. */
function parseAnswer(text: string): RpcAnswer | null | undefined {
  try {
    return parseExactJson(text) as RpcAnswer | null;
  } catch {
    return undefined;
  }
}

function resultIn(answer: RpcAnswer | null): unknown {
  const { result, error } = answer ?? {};
  if (error) {
    const code = Number(error.code);
    if (BUSY.has(code)) throw new UnansweredError('its server has too much to do.');
    throw new RpcEndpointError(code, String(error.message ?? 'no reason given').slice(0, 500), error.data);
  }
  if (result === undefined) throw new UnansweredError('its server answers no JSON-RPC.');
  return result;
}
