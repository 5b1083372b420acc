import { REPORT_BODY_LIMIT } from '../../contract/network/reputation.js';
import { getErrorMessage } from '../../lib/errors.js';
import { formatErrorBody } from './call-failure.js';
import type { FileReport, PayingParts } from './paying-ports.js';
import { signedHeaders } from './skill-request.js';

const TOTAL_MS = 5000;

/**
 * Returns a function that files reports with the bureau at `base`, signed by the caller's identity. Spec: Reputation
 * report.
 */
export function fileReportAt(base: () => string, parts: Pick<PayingParts, 'exchange' | 'signer'>): FileReport {
  return async (agentId, report, idempotencyKey, signal) => {
    const url = `${base()}/v1/agents/${encodeURIComponent(agentId)}/feedback`;
    const body = JSON.stringify(report);
    const headers = { ...signedHeaders(parts, 'POST', url, body), 'idempotency-key': idempotencyKey };
    try {
      const answer = await parts.exchange.send(
        { method: 'POST', url, body, headers, totalMs: TOTAL_MS, maxBytes: REPORT_BODY_LIMIT },
        signal,
      );
      const { ok, score, dims } = (answer.json ?? {}) as { ok?: unknown; score?: unknown; dims?: unknown };
      if (answer.status === 200 && ok === true) return { ok, score, dims };
      return { ok: false, error: formatErrorBody(answer.status, answer.json) };
    } catch (error) {
      return { ok: false, error: getErrorMessage(error) };
    }
  };
}
