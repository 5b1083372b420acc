import { Type } from 'typebox';
import { CodePlace, CodePlaces, CodePlacesQuery } from '../../contract/code.js';
import { DEFAULT_HOST } from '../../contract/limits.js';
import type { MemberVersion } from '../team/member-file.js';
import { mustBeFree } from './ask-tool.js';
import { createTool } from './contract-tool.js';
import type { McpPorts } from './mcp-ports.js';
import type { McpTool } from './mcp-surface.js';

const TITLE = 'Find code';
const DESCRIPTION =
  'Looks up the structure of this project: where a name is defined ("defs") or used ("refs"), which files import a ' +
  'file or package ("imports"), which environment variables are read ("env") and which routes are served ("routes"). ' +
  'Returns the places with path and line, sources first; of very many, the first ones and how many there are.';
/** Of all places, in characters of JSON: clients that give their model the structured result cannot take much more. */
const PLACES_MAX_CHARS = 40_000;

const makeTool = createTool({
  input: Type.Object(CodePlacesQuery.properties, { additionalProperties: false }),
  output: CodePlaces,
  named: [CodePlace],
  words: ({ state, is_known, total, places, near }: CodePlaces) => {
    if (state !== 'ready')
      return state === 'failed'
        ? 'The structure of the project could not be read.'
        : 'The structure of the project is still being read: call again in a few seconds.';
    if (!is_known) return `There is no such name.${near.length > 0 ? ` Near it: ${near.join(', ')}.` : ''}`;
    const lines = places.map(({ path, start_line, text }) => `${path}:${start_line} ${text.replaceAll(/\s+/g, ' ')}`);
    const count = `${total} ${total === 1 ? 'place' : 'places'}`;
    return [places.length < total ? `${count}, here the first ${places.length}` : count, ...lines].join('\n');
  },
});

/** Returns what was found with the first of its places, as many as a result can hold. */
function cutPlaces(found: CodePlaces): CodePlaces {
  let chars = 0;
  const places = found.places.filter((place) => {
    chars += JSON.stringify(place).length;
    return chars <= PLACES_MAX_CHARS;
  });
  return { ...found, places };
}

/** A tool with this name that looks places of the structure graph up. */
export function placesTool(name: string, find: (query: CodePlacesQuery) => Promise<CodePlaces>): McpTool {
  const about = {
    name,
    title: TITLE,
    description: DESCRIPTION,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
  return makeTool(about, async (query) => cutPlaces(await find(query)));
}

/**
 * The tool that looks up definitions, uses, imports, environment variables and routes in the files that Git tracks. Only
 * for members that the built-in search answers: it tells their callers the same when they ask. Counts as an ask against
 * the member's limits. Throws `too_many_requests`, `payment_required` when asking costs something, and `bad_request`
 * when a name is missing.
 */
export function codeTool({ host, code }: McpPorts, { id, name }: MemberVersion): McpTool {
  return placesTool('find_code', async ({ query, name: wanted }) => {
    const agent = await host.ready(id);
    mustBeFree(agent, name);
    agent.admit(DEFAULT_HOST);
    return code.find(query, wanted);
  });
}
