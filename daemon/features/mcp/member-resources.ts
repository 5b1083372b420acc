import { MeshError } from '../../lib/errors.js';
import type { MemberVersion } from '../team/member-file.js';
import { readBoardPage } from './board-tools.js';
import { type McpPorts, publicVisit } from './mcp-ports.js';
import type { ReadResourceResult } from './mcp-surface.js';
import { UNTRUSTED } from './resource-list.js';
import { parseResourceUri, TEMPLATES } from './resource-uris.js';

const JSON_TYPE = 'application/json';
const POSTS_READ = 50;

/** The resource templates available with a member's token. */
export function resourceTemplates({ name }: MemberVersion) {
  const resourceTemplates = [
    {
      uriTemplate: TEMPLATES.card,
      name: 'card',
      title: 'Card of a member',
      description: 'What a member can do and how it is called.',
    },
    {
      uriTemplate: TEMPLATES.request,
      name: 'request',
      title: 'A request',
      description: `What was asked of ${name}, and its answer.`,
    },
    {
      uriTemplate: TEMPLATES.board,
      name: 'board',
      title: 'A board',
      description: `A board of a public cluster, its newest posts. ${UNTRUSTED}`,
    },
    {
      uriTemplate: TEMPLATES.post,
      name: 'post',
      title: 'A post',
      description: `A post on a board of a public cluster. ${UNTRUSTED}`,
    },
  ];
  return { resourceTemplates: resourceTemplates.map((template) => ({ ...template, mimeType: JSON_TYPE })) };
}

/**
 * Reads a resource as JSON. Throws `not_found` both for a resource that the member's token gives no access to and for
 * one that does not exist; `board_not_found`, `post_not_found`, `boards_disabled`, `age_gated`.
 */
export async function readResource(ports: McpPorts, { id }: MemberVersion, uri: string): Promise<ReadResourceResult> {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(await valueAt(ports, id, uri), null, 2) }] };
}

async function valueAt(ports: McpPorts, member: string, uri: string): Promise<unknown> {
  const place = parseResourceUri(uri);
  switch (place?.kind) {
    case 'card':
      if (place.member === member) return (await ports.host.ready(member)).card().value;
      break;
    case 'request':
      return ports.asks.read(member, place.request);
    case 'board':
      return readBoardPage(ports, { cluster: place.cluster, board: place.board, limit: POSTS_READ });
    case 'post':
      return ports.posts.read(publicVisit(place.cluster), place.board, place.post);
  }
  throw new MeshError(
    'not_found',
    'There is no such resource: resources/list and resources/templates/list say what there is.',
  );
}
