import { REPORT_BODY_LIMIT } from '../../contract/network/reputation.js';
import { getErrorMessage } from '../../lib/errors.js';
import { formatErrorBody } from './call-failure.js';
import { type FileReport, type PayingParts, pause } from './paying-ports.js';
import { signedHeaders } from './skill-request.js';

const TOTAL_MS = 5000;
/** How long a bureau elsewhere that gives no answer is tried again. */
const RETRIED_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

/** The bureau of an agent that is registered elsewhere. */
interface OtherBureau {
  address: string;
  agentId: string;
}

/**
 * Returns the bureau of an agent of another daemon; undefined for every other agent. Throws `overloaded` while that
 * daemon does not run.
 */
export type FindBureau = (agentId: string) => Promise<OtherBureau | undefined>;

/**
 * Returns a function that files reports with the bureau at `base`, or with the one that `findBureau` returns, signed by
 * the caller's identity. A bureau elsewhere that gives no answer is tried again for half a minute; the key makes a
 * repeated report one. Spec: Reputation report.
 */
export function fileReportAt(
  base: () => string,
  parts: Pick<PayingParts, 'exchange' | 'signer' | 'clock'>,
  findBureau: FindBureau = async () => undefined,
): FileReport {
  return async (agentId, report, idempotencyKey, signal) => {
    const until = parts.clock.elapsed() + RETRIED_MS;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      let isElsewhere = true;
      try {
        const other = await findBureau(agentId);
        isElsewhere = other !== undefined;
        const target = other ?? { address: base(), agentId };
        return await fileOnce(parts, target, report, idempotencyKey, signal);
      } catch (error) {
        if (!isElsewhere || parts.clock.elapsed() > until) return { ok: false, error: getErrorMessage(error) };
        await pause(parts.clock, wait, signal);
      }
    }
  };
}

/** Rejects when the bureau gave no answer. */
async function fileOnce(
  parts: Pick<PayingParts, 'exchange' | 'signer'>,
  { address, agentId }: OtherBureau,
  report: Record<string, unknown>,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<unknown> {
  const url = `${address}/v1/agents/${encodeURIComponent(agentId)}/feedback`;
  const body = JSON.stringify(report);
  const headers = { ...signedHeaders(parts, 'POST', url, body), 'idempotency-key': idempotencyKey };
  const answer = await parts.exchange.send(
    { method: 'POST', url, body, headers, totalMs: TOTAL_MS, maxBytes: REPORT_BODY_LIMIT },
    signal,
  );
  const { ok, score, dims } = (answer.json ?? {}) as { ok?: unknown; score?: unknown; dims?: unknown };
  if (answer.status === 200 && ok === true) return { ok, score, dims };
  return { ok: false, error: formatErrorBody(answer.status, answer.json) };
}
