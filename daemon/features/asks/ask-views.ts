import type { AskError, AskErrorCode, AskRecord, ContextDoc, RequestDetail, RequestRow } from '../../contract/asks.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Ask, AskRating, ListedAsk } from './ask-store.js';

const QUESTION_CHARS = 200;

function formatError(ask: Ask): { error?: AskError } {
  return ask.error_code === null
    ? {}
    : { error: { code: ask.error_code as AskErrorCode, message: ask.error_message ?? '' } };
}

function formatHead(ask: Ask) {
  const { request_id, member, conv, status } = ask;
  return {
    request_id,
    member,
    conv,
    status,
    created_at: isoTime(ask.created_ms),
    ...(ask.started_ms === null ? {} : { started_at: isoTime(ask.started_ms) }),
    ...(ask.finished_ms === null ? {} : { finished_at: isoTime(ask.finished_ms) }),
  };
}

/** Builds the view of an ask for its caller. */
export function toAskRecord(ask: Ask, live: Pick<AskRecord, 'queue_position' | 'progress'>): AskRecord {
  const { status, client, model } = ask;
  return {
    ...formatHead(ask),
    ...(live.queue_position === undefined ? {} : { queue_position: live.queue_position }),
    ...(status === 'running' && live.progress ? { progress: live.progress } : {}),
    ...(ask.result_text === null ? {} : { result_text: ask.result_text }),
    ...(ask.citations === null ? {} : { citations: ask.citations }),
    ...ask.search,
    client,
    model,
    ...formatError(ask),
    ...(ask.receipt === null ? {} : { receipt: ask.receipt }),
  };
}

/** Builds the operator's view of one ask. */
export function toRequestDetail(
  ask: Ask,
  {
    documents,
    record,
    polls,
    rating,
  }: { documents: ContextDoc[]; record: AskRecord; polls: string[]; rating: AskRating | undefined },
): RequestDetail {
  return {
    ...record,
    text: ask.text,
    session: ask.session,
    context_docs: documents,
    caller: ask.caller,
    polls,
    collected_at: ask.collected_ms === null ? null : isoTime(ask.collected_ms),
    ...(rating && { rating: { value: rating.value, note: rating.note, rated_at: isoTime(rating.rated_ms) } }),
  };
}

/** Builds a row of the operator's list. */
export function toRequestRow(ask: ListedAsk): RequestRow {
  const { client, model, caller } = ask;
  const citations = ask.citations ?? [];
  return {
    ...formatHead(ask),
    question: [...ask.text].slice(0, QUESTION_CHARS).join(''),
    citations_checked: citations.filter((citation) => citation.status === 'checked').length,
    citations_total: citations.length,
    ...(ask.search === null ? {} : { confidence: ask.search.confidence }),
    client,
    model,
    ...formatError(ask),
    caller,
    collected_at: ask.collected_ms === null ? null : isoTime(ask.collected_ms),
    ...(ask.rating === null ? {} : { rating: ask.rating }),
  };
}
