import { type ListTasksRequest, TaskState, taskStateFromJSON } from '@a2a-js/sdk';
import { MeshError } from '../../lib/errors.js';
import { stateName } from './older-params.js';

type Query = Readonly<Record<string, unknown>>;

/** The value of a parameter under the camelCase or snake_case spelling of its name. Throws when it is given twice. */
const textIn = (query: Query, name: string): string => {
  const value = query[name] ?? query[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? '';
  if (typeof value === 'string') return value;
  throw new MeshError('bad_request', `"${name}" may be given once.`, { details: { path: name } });
};

/** NaN for text that is no number, which the operation rejects. */
export const numberIn = (query: Query, name: string): number | undefined => {
  const text = textIn(query, name);
  if (text === '') return undefined;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
};

function stateIn(query: Query): TaskState {
  const text = textIn(query, 'status');
  if (text === '') return TaskState.TASK_STATE_UNSPECIFIED;
  if (/^\d$/.test(text)) return taskStateFromJSON(Number(text));
  return taskStateFromJSON(stateName(text));
}

/** The request in the query of a list of tasks over REST, of either version. */
export const listRequestIn = (query: Query): ListTasksRequest => ({
  tenant: '',
  contextId: textIn(query, 'contextId'),
  status: stateIn(query),
  pageSize: numberIn(query, 'pageSize'),
  pageToken: textIn(query, 'pageToken'),
  historyLength: numberIn(query, 'historyLength'),
  statusTimestampAfter: textIn(query, 'statusTimestampAfter') || undefined,
  includeArtifacts: textIn(query, 'includeArtifacts') === 'true',
});
