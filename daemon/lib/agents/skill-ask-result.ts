import type { AskRecord, SkillAskResult } from '../../contract/asks.js';

/** Returns the result of the skill `ask` for the record of an answered request. */
export function toSkillAskResult({
  request_id,
  result_text,
  citations,
  confidence,
  searched,
  total,
  client,
  model,
}: AskRecord & { result_text: string }): SkillAskResult {
  const search = confidence === undefined ? {} : { confidence, searched, total };
  return { request_id, result_text, citations: citations ?? [], ...search, client, model };
}
