import { LIST_LIMIT_MAX } from '../../contract/limits.js';
import { isMeshError } from '../../lib/errors.js';
import type { MemberVersion } from '../team/member-file.js';
import { type McpPorts, publicVisit } from './mcp-ports.js';
import type { CompleteRequest, CompleteResult } from './mcp-surface.js';
import { questionPrompt } from './member-prompts.js';
import { isCallers, mayListRequests } from './resource-list.js';
import { TEMPLATES } from './resource-uris.js';

const VALUES_MAX = 100;

/**
 * Completions for what the caller is typing: example questions and the variable parts of resource URIs. Empty for
 * anything unknown.
 */
export function complete(
  ports: McpPorts,
  member: MemberVersion,
  { ref, argument, context }: CompleteRequest['params'],
): CompleteResult {
  const known = context?.arguments ?? {};
  const values =
    ref.type === 'ref/prompt'
      ? ref.name === questionPrompt(member.id) && argument.name === 'question'
        ? (member.examples ?? [])
        : []
      : Object.values<string>(TEMPLATES).includes(ref.uri)
        ? listParts(ports, member, argument.name, known)
        : [];
  const typed = argument.value.toLowerCase();
  const fitting = values.filter((value) => value.toLowerCase().startsWith(typed));
  return {
    completion: { values: fitting.slice(0, VALUES_MAX), total: fitting.length, hasMore: fitting.length > VALUES_MAX },
  };
}

function listParts(
  ports: McpPorts,
  member: MemberVersion,
  part: string,
  known: Readonly<Record<string, string>>,
): readonly string[] {
  const { cluster = '', board = '' } = known;
  switch (part) {
    case 'member':
      return [member.id];
    case 'request_id':
      return mayListRequests(ports, member)
        ? ports.asks
            .list({ member: member.id, limit: VALUES_MAX })
            .requests.filter(isCallers)
            .map(({ request_id }) => request_id)
        : [];
    case 'cluster':
      return ports.clusters.list({ limit: LIST_LIMIT_MAX }).clusters.map(({ id, slug }) => slug ?? id);
    case 'board':
      return orNone(() => ports.boards.list(publicVisit(cluster)).boards.map(({ slug }) => slug));
    case 'post':
      return orNone(() =>
        ports.posts.list(publicVisit(cluster), board, { limit: VALUES_MAX }).posts.map(({ id }) => id),
      );
    default:
      return [];
  }
}

/** Returns no completions when reading fails, since a completion response cannot carry an error. */
function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (isMeshError(error)) return [];
    throw error;
  }
}
