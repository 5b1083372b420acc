import type { Citation, CitationStatus, RequestDetail, RequestRow } from '../../daemon/contract/asks.js';
import type { Message, Permission, ToolCall, Turn } from '../../daemon/contract/conversations.js';
import type { Member } from '../../daemon/contract/team.js';

/** Returns the time `seconds` ago in the daemon's format. */
export const isoAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

export const citation = (status: CitationStatus, at = 40): Citation => ({
  path: 'src/retry.ts',
  start_line: at,
  end_line: at + 32,
  commit: status === 'checked' ? '3f2a91c07d' : null,
  sha256: `${status}-${at}`,
  quote: 'export const TRIES = 3;',
  status,
});

const asked: Omit<RequestRow, 'rating'> = {
  request_id: 'req-7b1f0c22d9e84a55',
  member: 'consultant',
  conv: 'conv-1',
  status: 'done',
  created_at: isoAgo(140),
  started_at: isoAgo(138),
  finished_at: isoAgo(132),
  question: 'Where is the retry policy set, and what happens after the last try?',
  citations_checked: 3,
  citations_total: 4,
  client: 'builtin',
  model: 'none',
  caller: { user_agent: 'harbour-clock/2.1', idempotency_key: null },
  collected_at: isoAgo(130),
};

export const requestRow = (changes: Partial<RequestRow> = {}): RequestRow => ({ ...asked, ...changes });

export const requestDetail = (changes: Partial<RequestDetail> = {}): RequestDetail => ({
  ...asked,
  text: asked.question,
  session: null,
  context_docs: [],
  polls: [isoAgo(137), isoAgo(135), isoAgo(131)],
  ...changes,
});

export const toolCall = (changes: Partial<ToolCall> = {}): ToolCall => ({
  id: `call-${changes.state ?? 'done'}`,
  name: 'read',
  target: 'src/retry.ts:40-72',
  state: 'done',
  ms: 12,
  ...changes,
});

export const message = (changes: Partial<Message> = {}): Message => ({
  id: 'msg-1',
  conv: 'conv-1',
  turn: 'turn-1',
  role: 'user',
  text: 'Where is the retry policy set?',
  calls: [],
  citations: [],
  dropped_citations: 0,
  context_docs: [],
  from_outside: false,
  created_at: isoAgo(140),
  ...changes,
});

export const turn = (changes: Partial<Turn> = {}): Turn => ({
  turn: 'turn-1',
  conv: 'conv-1',
  state: 'ended',
  outcome: 'answered',
  code: null,
  reason: null,
  client: 'claude-code',
  model: 'claude-opus',
  effort: 'medium',
  usage: { input_tokens: 8_200, output_tokens: 610, cost_usd: 0.04 },
  created_at: isoAgo(140),
  started_at: isoAgo(138),
  finished_at: isoAgo(132),
  ...changes,
});

export const permission: Permission = {
  pid: 'perm-1',
  conv: 'conv-1',
  turn: 'turn-1',
  tool: 'bash',
  target: 'npm run deploy',
  reason: 'The tests have passed, so the release can go out.',
  detail: {
    kind: 'command',
    command: 'npm run deploy',
    folder: '/home/ada/harbour',
    environment: ['HOME', 'LANG', 'PATH'],
  },
  always: [
    { match: 'command', value: 'npm run deploy' },
    { match: 'command_prefix', value: 'npm run' },
  ],
  scopes: ['conversation', 'member'],
  created_at: isoAgo(20),
  expires_at: isoAgo(-240),
  decision: null,
  decided_by: null,
};

export const member = (changes: Partial<Member> = {}): Member => ({
  id: 'consultant',
  name: 'Consultant',
  description: 'Answers questions about the project, with its places.',
  kind: 'singleton',
  required: false,
  agent_type: 'docs',
  client: 'auto',
  model: 'opus',
  effort: 'medium',
  exposure: 'internal',
  pinned_order: 1,
  limits: { turns: 40, minutes: 20 },
  state: 'ok',
  serving: true,
  model_resolved: 'claude-opus',
  client_resolved: 'claude-code',
  instances: 0,
  revision: '0'.repeat(64),
  ...changes,
});
