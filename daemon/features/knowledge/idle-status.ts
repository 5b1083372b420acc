import type { KnowledgeStatus } from '../../contract/system.js';

/** The status of an index of which nothing is known yet. */
export const IDLE_STATUS: KnowledgeStatus = {
  state: 'idle',
  files_done: 0,
  files_total: 0,
  passages: 0,
  bytes: 0,
  left_out: 0,
  not_text: 0,
  commit: null,
  structure: { state: 'idle', files_done: 0, files_total: 0, left_out: [], languages: [] },
};
