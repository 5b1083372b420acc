import type { AGENT_TYPES } from '../../../../daemon/contract/team.js';

/** Agent types of a conversation without a member. */
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
