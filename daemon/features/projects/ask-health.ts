import { type IncomingMessage, request } from 'node:http';
import type { Health } from '../../contract/system.js';

const TIMEOUT_MS = 1_000;
const MAX_BYTES = 65_536;

/**
 * The result of a health request. `silent` means that the daemon accepted the connection and did not respond in time,
 * so it may be busy.
 */
export type HealthAnswer = Partial<Health> | 'gone' | 'silent';

/**
 * Requests the health of the daemon at a loopback origin, with proof of identity over `nonce`. Does not follow
 * redirects, reads at most 64 KiB, and times out after a second.
 */
export function askHealth(address: string, nonce: string): Promise<HealthAnswer> {
  return askObject(`${address}/health?nonce=${nonce}`, {});
}

/** Like `askHealth`, for any document that is a JSON object, whatever its status. */
export function askObject(url: string, headers: Readonly<Record<string, string>>): Promise<object | 'gone' | 'silent'> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve) => {
    const fail = () => resolve(signal.aborted ? 'silent' : 'gone');
    const options = { agent: false, signal, headers: { accept: 'application/json', ...headers } };
    request(url, options, (response) => void readObject(response).then(resolve, fail))
      .on('error', fail)
      .end();
  });
}

async function readObject(response: IncomingMessage): Promise<object | 'gone'> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += piece;
    if (text.length > MAX_BYTES) break;
  }
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : 'gone';
}
