import type { Citation, Receipt } from '../contract/asks.js';
import { jcs } from '../lib/crypto/jcs.js';
import { sha256 } from './sha256.js';

/** Fields of a request's record that its receipt contains under the same name. */
const SAME_FIELDS = ['request_id', 'member', 'client', 'model', 'created_at', 'finished_at'] as const;

/** The fields of a request's record that its receipt covers. Absent fields are not compared. */
export type SignedFields = Partial<Record<(typeof SAME_FIELDS)[number] | 'text' | 'result_text', unknown>> & {
  citations?: Citation[];
};

/**
 * Compares `record` with the signed fields of `receipt`. Returns one sentence for each difference. Does not verify the
 * signature.
 */
export async function findDifferences(receipt: Receipt, record: SignedFields): Promise<string[]> {
  const digested = [
    ['question', record.text, receipt.question_sha256],
    ['answer', record.result_text, receipt.answer_sha256],
    ['list of citations', record.citations, receipt.citations_sha256],
  ] as const;
  const differences: string[] = [];
  for (const [name, given, digest] of digested) {
    if (given === undefined) continue;
    if ((await sha256(typeof given === 'string' ? given : jcs(given))) !== digest)
      differences.push(`The ${name} is not the one that was signed.`);
  }
  for (const field of SAME_FIELDS)
    if (record[field] !== undefined && record[field] !== receipt[field])
      differences.push(`The field ${field} beside the receipt is not the one that was signed.`);
  return differences;
}
