import type { AGENT_TYPES } from '../../../daemon/contract/team.js';

/** What a conversation without a member may be with. */
export const agentTypes = [
  'custom',
  'deploy',
  'db',
  'testing',
  'audit',
  'docs',
  'roadmap',
  'review',
] as const satisfies typeof AGENT_TYPES;
