import { type IncomingMessage, request } from 'node:http';
import type { Health } from '../../contract/system.js';

const TIMEOUT_MS = 1_000;
const MAX_BYTES = 65_536;

/** What came of asking a daemon how it is. `silent` is one that took the call and gave no answer in time: it may be busy. */
export type HealthAnswer = Partial<Health> | 'gone' | 'silent';

/** Asks the listener at a loopback origin to prove itself over `nonce`. Follows no redirect, reads 64 KiB at most, gives up after a second. */
export function askHealth(address: string, nonce: string): Promise<HealthAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve) => {
    const fail = () => resolve(signal.aborted ? 'silent' : 'gone');
    const options = { agent: false, signal, headers: { accept: 'application/json' } };
    request(`${address}/health?nonce=${nonce}`, options, (response) => void readObject(response).then(resolve, fail))
      .on('error', fail)
      .end();
  });
}

async function readObject(response: IncomingMessage): Promise<HealthAnswer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += piece;
    if (text.length > MAX_BYTES) break;
  }
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : 'gone';
}
