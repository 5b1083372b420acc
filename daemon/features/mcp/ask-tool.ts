import { Type } from 'typebox';
import { AskBody, Citation, SkillAskResult } from '../../contract/asks.js';
import { DEFAULT_HOST } from '../../contract/limits.js';
import { toSkillAskResult } from '../../lib/agents/skill-ask-result.js';
import { MeshError } from '../../lib/errors.js';
import { formatSum } from '../../lib/text/price-sum.js';
import type { HostedAgent } from '../agent-host/hosted-agent.js';
import type { MemberVersion } from '../team/member-file.js';
import { followAsk } from './ask-following.js';
import { CallRefusedError } from './call-refused.js';
import { createTool } from './contract-tool.js';
import type { McpPorts } from './mcp-ports.js';
import type { McpTool } from './mcp-surface.js';

const ASK = 'ask';
/** Citations of a result. Many clients give their model all of the structured result, for which 200 are too many. */
const CITATIONS_MAX = 40;
/** Tool kinds with which a member cannot change anything. */
const READS: ReadonlySet<string> = new Set(['read', 'search', 'web', 'todo', 'ask']);

const makeTool = createTool({
  input: Type.Object(
    { text: AskBody.properties.text, session: AskBody.properties.session },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...SkillAskResult.properties,
    citations: Type.Array(Type.Ref('Citation'), {
      maxItems: CITATIONS_MAX,
      description: 'The first ones. The resource `mesh://requests/<request_id>` has all.',
    }),
    total: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many places there are. Only of the client `builtin`.' }),
    ),
  }),
  named: [Citation],
  words: ({ result_text, citations }: SkillAskResult) => {
    const standing = citations.filter(({ status }) => status === 'checked' || status === 'moved');
    const places = standing.map(({ path, start_line, end_line, status }) => ({
      place: `${path}:${start_line}-${end_line}`,
      status,
    }));
    const sources = places
      .filter(({ place }) => !result_text.includes(place))
      .map(({ place, status }) => `- ${place} (${status})`);
    return sources.length === 0 ? result_text : `${result_text}\n\nSources:\n${sources.join('\n')}`;
  },
});

/**
 * The name of the tool that asks a member. A member's id never changes and contains only characters that are valid in a
 * tool name.
 */
export const askToolName = (member: string) => `ask_${member}`;

/**
 * The tool that asks a member through the same entry point as ask and poll, and returns when the request has ended.
 * Cancelling the call cancels the request. Throws `payment_required` with the payment address for a member whose `ask`
 * has a price, `too_many_requests`, the code of a request that ended as `error`, and the errors of `followAsk`.
 */
export function askTool(ports: McpPorts, { id, name, description, tools }: MemberVersion): McpTool {
  const canChange = tools === undefined || !tools.every((tool) => READS.has(tool));
  const tool = makeTool(
    {
      name: askToolName(id),
      title: `Ask ${name}`,
      description: (
        `${description} Takes one question in plain words and answers with facts of this project, each cited ` +
        'by file and lines and checked against the working tree. "session" continues one conversation ' +
        'across calls.'
      ).trim(),
      annotations: {
        title: `Ask ${name}`,
        readOnlyHint: !canChange,
        destructiveHint: canChange,
        idempotentHint: false,
        openWorldHint: tools?.includes('web') ?? true,
      },
    },
    async ({ text, session }, call) => {
      const agent = await ports.host.ready(id);
      mustBeFree(agent, name);
      agent.admit(DEFAULT_HOST);
      const question = { text, ...(session === undefined ? {} : { session }) };
      const { request_id } = await ports.asks.acceptAsk(id, question, {
        user_agent: call.client,
        idempotency_key: null,
      });
      const record = await followAsk(ports, id, request_id, call);
      const { result_text, error } = record;
      if (result_text === undefined) {
        throw new CallRefusedError({
          error: error?.code ?? 'client_failed',
          message: error?.message ?? 'No reason was given.',
          request_id,
        });
      }
      const result = toSkillAskResult({ ...record, result_text });
      return { ...result, citations: result.citations.slice(0, CITATIONS_MAX) };
    },
  );
  return { ...tool, mayTakeMinutes: true };
}

/**
 * Throws `payment_required` when asking costs something, so that this tool does not bypass payment, and `overloaded` when
 * its price cannot be charged here.
 */
export function mustBeFree(agent: HostedAgent, name: string): void {
  agent.requireChargeable(ASK);
  if (agent.needsOpener(ASK, { text: '' })) return;
  const { prices } = agent.skill(ASK);
  const url = agent.spec.url();
  const [price] = prices;
  throw new MeshError(
    'payment_required',
    `Asking ${name} costs ${price ? `${formatSum(price)} per ${price.unit}` : 'something'}, ` +
      `which is not paid through this protocol: call POST ${url}/v1/${ASK} with payment, as its card says. ` +
      'Nothing was run.',
    { details: { pay_at: `${url}/v1/${ASK}`, card: `${url}/.well-known/agent.json`, prices } },
  );
}
