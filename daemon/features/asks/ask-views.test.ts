import { describe, expect, it } from 'vitest';
import type { Citation, Receipt } from '../../contract/asks.js';
import type { ListedAsk } from './ask-store.js';
import { toAskRecord, toRequestDetail, toRequestRow } from './ask-views.js';

const QUEUED: ListedAsk = {
  ...{ seq: 1, request_id: 'req-1', member: 'consultant', conv: 'conv-1', session: 's', turn: 'turn-1' },
  ...{ status: 'queued', text: 'Why?', client: 'acp', model: 'm-1', created_ms: 0 },
  caller: { user_agent: 'Harbour-Clock/2.1', idempotency_key: null },
  ...{ started_ms: null, finished_ms: null, collected_ms: null, result_text: null, citations: null, search: null },
  ...{ receipt: null, error_code: null, error_message: null, rating: null },
};
const RUNNING: ListedAsk = { ...QUEUED, status: 'running', started_ms: 1_000 };
const FAILED: ListedAsk = { ...RUNNING, status: 'error', error_code: 'deadline', error_message: 'Too late.' };
const citations = [{ status: 'checked' }, { status: 'dropped' }, { status: 'checked' }] as Citation[];
const DONE: ListedAsk = {
  ...RUNNING,
  ...{ status: 'done', finished_ms: 2_000, collected_ms: 3_000, result_text: '', citations },
  search: { confidence: 'likely', searched: { files: 2, left_out: 0 }, total: 3 },
  receipt: { v: 1 } as Receipt,
  rating: 'down',
};

const HEAD = {
  ...{ request_id: 'req-1', member: 'consultant', conv: 'conv-1', status: 'queued' },
  created_at: '1970-01-01T00:00:00.000Z',
};
const started_at = '1970-01-01T00:00:01.000Z';
const finished_at = '1970-01-01T00:00:02.000Z';
const LIVE = { progress: { stage: 'reading', done: 1, total: 2 } };

describe('what the caller of a request sees', () => {
  it('is its head and its place while it is queued', () => {
    expect(toAskRecord(QUEUED, { ...LIVE, queue_position: 2 })).toEqual({
      ...HEAD,
      queue_position: 2,
      client: 'acp',
      model: 'm-1',
    });
    expect(toAskRecord(QUEUED, {})).toEqual({ ...HEAD, client: 'acp', model: 'm-1' });
  });

  it('is its progress, if there is any, while it runs', () => {
    const shown = { ...HEAD, status: 'running', started_at, client: 'acp', model: 'm-1' };
    expect(toAskRecord(RUNNING, LIVE)).toEqual({ ...shown, progress: LIVE.progress });
    expect(toAskRecord(RUNNING, {})).toEqual(shown);
  });

  it('is the answer with all that belongs to it, even an empty one', () => {
    expect(toAskRecord(DONE, LIVE)).toEqual({
      ...{ ...HEAD, status: 'done', started_at, finished_at, result_text: '', citations, receipt: { v: 1 } },
      ...{ confidence: 'likely', searched: { files: 2, left_out: 0 }, total: 3, client: 'acp', model: 'm-1' },
    });
  });

  it('is the error with its message', () => {
    const shown = { ...HEAD, status: 'error', started_at, client: 'acp', model: 'm-1' };
    expect(toAskRecord(FAILED, LIVE)).toEqual({ ...shown, error: { code: 'deadline', message: 'Too late.' } });
    const silent = toAskRecord({ ...FAILED, error_message: null }, LIVE);
    expect(silent.error).toEqual({ code: 'deadline', message: '' });
  });
});

describe('what the operator sees of one request', () => {
  const record = toAskRecord(QUEUED, {});
  const documents = [{ filename: 'a.md', content: 'x' }];

  it('is more than its caller sees', () => {
    const rest = { documents, record, polls: ['now'], rating: undefined };
    expect(toRequestDetail(QUEUED, rest)).toEqual({
      ...record,
      ...{ text: 'Why?', session: 's', context_docs: documents, caller: QUEUED.caller, polls: ['now'] },
      collected_at: null,
    });
  });

  it('has the time of its collection and the rating', () => {
    const rating = { value: 'down', note: 'Wrong.', rated_ms: 4_000 } as const;
    expect(toRequestDetail(DONE, { documents, record, polls: [], rating })).toMatchObject({
      collected_at: '1970-01-01T00:00:03.000Z',
      rating: { value: 'down', note: 'Wrong.', rated_at: '1970-01-01T00:00:04.000Z' },
    });
  });
});

describe('a row of the list of requests', () => {
  const ROW = { question: 'Why?', client: 'acp', model: 'm-1', caller: QUEUED.caller, collected_at: null };
  const NONE = { citations_checked: 0, citations_total: 0 };

  it('is short while there is no answer', () => {
    expect(toRequestRow(QUEUED)).toEqual({ ...HEAD, ...ROW, ...NONE });
    expect(toRequestRow(FAILED)).toEqual({
      ...{ ...HEAD, ...ROW, ...NONE, status: 'error', started_at },
      error: { code: 'deadline', message: 'Too late.' },
    });
  });

  it('counts the citations of the answer, and tells how sure it is and what was thought of it', () => {
    expect(toRequestRow(DONE)).toEqual({
      ...{ ...HEAD, ...ROW, status: 'done', started_at, finished_at },
      ...{ citations_checked: 2, citations_total: 3, confidence: 'likely', rating: 'down' },
      collected_at: '1970-01-01T00:00:03.000Z',
    });
  });

  it('has the first 200 characters of the question, none of them cut in two', () => {
    const { question } = toRequestRow({ ...QUEUED, text: `${'🌊'.repeat(200)}x` });
    expect(question).toBe('🌊'.repeat(200));
  });
});
