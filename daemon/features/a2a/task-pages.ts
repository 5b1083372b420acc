import { type ListTasksRequest, TaskState } from '@a2a-js/sdk';
import { MeshError } from '../../lib/errors.js';
import type { Ask } from '../asks/ask-store.js';
import type { Asks } from '../asks/asks.js';
import { asksOfState } from './task-view.js';

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

interface TaskPage {
  asks: Ask[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

const wrong = (path: string, message: string) =>
  new MeshError('bad_request', `"${path}" ${message}.`, { details: { path } });

/** A page of a member's requests, most recent status change first. Throws `bad_request` with `path`. */
export function taskPage(asks: Pick<Asks, 'listOwn'>, member: string, request: ListTasksRequest): TaskPage {
  const pageSize = request.pageSize ?? PAGE_DEFAULT;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1 || pageSize > PAGE_MAX)
    throw wrong('pageSize', `must be 1 to ${PAGE_MAX}`);
  const { statusTimestampAfter } = request;
  const changedSinceMs = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(changedSinceMs)) throw wrong('statusTimestampAfter', 'must be an ISO 8601 time');
  const after = request.pageToken === '' ? undefined : placeIn(request.pageToken);
  if (request.status === TaskState.UNRECOGNIZED)
    throw wrong('status', 'must be a state of A2A, such as TASK_STATE_WORKING');
  const state = asksOfState(request.status);
  if (state === 'none') return { asks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const context = request.contextId === '' ? undefined : request.contextId;
  const found = asks.listOwn(member, { ...state, context, changedSinceMs, after, limit: pageSize + 1 });
  const page = found.asks.slice(0, pageSize);
  const last = page.at(-1);
  return {
    asks: page,
    nextPageToken: found.asks.length > pageSize && last ? getToken(last) : '',
    pageSize,
    totalSize: found.total,
  };
}

const getToken = ({ finished_ms, started_ms, created_ms, seq }: Ask) =>
  Buffer.from(`${finished_ms ?? started_ms ?? created_ms}.${seq}`).toString('base64url');

function placeIn(token: string): { changedMs: number; seq: number } {
  const [, changedMs, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (changedMs === undefined || seq === undefined)
    throw wrong('pageToken', 'must be the nextPageToken of an earlier page');
  return { changedMs: Number(changedMs), seq: Number(seq) };
}
