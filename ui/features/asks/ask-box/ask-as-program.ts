import type { AskAccepted, AskBody, AskRecord } from '../../../../daemon/contract/asks.js';
import { call } from '../../../lib/api.js';

const HOLD_SECONDS = 20;

/** Submits an ask to the member API with the member's token, as any other program does. */
export function ask(member: string, token: string, body: AskBody): Promise<AskAccepted> {
  return call<AskAccepted>(`/team/${encodeURIComponent(member)}/ask`, { method: 'POST', body, bearer: token });
}

/** Polls a request until it has ended. Each poll is held by the daemon, so the end is known at once. */
export async function collect(rid: string, token: string, signal: AbortSignal): Promise<AskRecord> {
  for (;;) {
    const record = await call<AskRecord>(`/team/requests/${encodeURIComponent(rid)}?wait=${HOLD_SECONDS}`, {
      bearer: token,
      signal,
    });
    if (record.status === 'done' || record.status === 'error') return record;
  }
}
