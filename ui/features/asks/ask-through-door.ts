import type { AskAccepted, AskBody, AskRecord } from '../../../daemon/contract/asks.js';
import { call } from '../../lib/api.js';

const HOLD_SECONDS = 20;

/** Asks as any other program would: the member's own token, the public door. */
export function ask(member: string, token: string, body: AskBody): Promise<AskAccepted> {
  return call<AskAccepted>(`/team/${encodeURIComponent(member)}/ask`, { method: 'POST', body, bearer: token });
}

/** Polls through the door until the request has ended, holding each poll so that the end is told at once. */
export async function collect(rid: string, token: string, signal: AbortSignal): Promise<AskRecord> {
  for (;;) {
    const record = await call<AskRecord>(`/team/requests/${encodeURIComponent(rid)}?wait=${HOLD_SECONDS}`, {
      bearer: token,
      signal,
    });
    if (record.status === 'done' || record.status === 'error') return record;
  }
}
