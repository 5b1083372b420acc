import { RESERVED_ID_PREFIXES } from '../../contract/network/agents.js';

const MAX_CHARS = 64;

/**
 * Builds `<project>-<member>` as a valid agent id: other characters become hyphens, a project whose name begins with a
 * reserved prefix gets the prefix `project-`, and a long one is truncated. `n` above 1 is appended as a number, for
 * when the id is taken. Contract: Unified API.
 */
export function createAgentId(project: string, member: string, n = 1): string {
  const tail = `-${member}${n > 1 ? `-${n}` : ''}`;
  const plain = trimmed(project.replace(/[^A-Za-z0-9_-]+/g, '-')) || 'project';
  const isReserved = RESERVED_ID_PREFIXES.some((prefix) => `${plain}-`.toLowerCase().startsWith(prefix));
  return trimmed((isReserved ? `project-${plain}` : plain).slice(0, MAX_CHARS - tail.length)) + tail;
}

const trimmed = (text: string) => text.replace(/^[-_]+|(?<![-_])[-_]+$/g, '');
