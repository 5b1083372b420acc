import type { Citation, GivenPlace, Receipt } from '../contract/asks.js';
import { jcs } from '../lib/crypto/jcs.js';
import { isObject } from '../lib/is-object.js';
import { sha256 } from './sha256.js';

/** Fields of a request's record that its receipt contains under the same name. */
const SAME_FIELDS = ['request_id', 'member', 'client', 'model', 'created_at', 'finished_at'] as const;
/**
 * The only fields that `given` of a citation can hold. Any other would put something unsigned beside the signed text.
 */
const GIVEN_FIELDS: Readonly<Record<keyof GivenPlace, true>> = {
  start_line: true,
  end_line: true,
  commit: true,
  status: true,
};

/** The fields of a request's record that its receipt covers. Absent fields are not compared. */
export type SignedFields = Partial<Record<(typeof SAME_FIELDS)[number] | 'text' | 'result_text', unknown>> & {
  citations?: Citation[];
};

/**
 * Compares `record` with the signed fields of `receipt`. Returns one sentence for each difference. Citations are
 * compared as they were given, since a record shows them as they are now. Does not verify the signature.
 */
export async function findDifferences(receipt: Receipt, record: SignedFields): Promise<string[]> {
  const digested = [
    ['question', record.text, receipt.question_sha256],
    ['answer', record.result_text, receipt.answer_sha256],
    ['list of citations', toGiven(record.citations), receipt.citations_sha256],
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

/** Returns citations as they were when the answer was given. The record may come from a file, with anything in it. */
function toGiven(citations: unknown): unknown {
  return Array.isArray(citations) ? citations.map(toGivenCitation) : citations;
}

function toGivenCitation(citation: unknown): unknown {
  if (!isObject(citation) || !isObject(citation['given'])) return citation;
  const { given, ...current } = citation;
  if (!Object.keys(given as object).every((name) => Object.hasOwn(GIVEN_FIELDS, name))) return citation;
  return { ...current, ...(given as object) };
}
