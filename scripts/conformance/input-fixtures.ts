import { createHmac, randomBytes } from 'node:crypto';
import type { McpCall, McpTool } from '../../daemon/features/mcp/mcp-surface.js';
import { MeshError } from '../../daemon/lib/errors.js';
import { text } from './fixture-contents.js';

type Answer = Awaited<ReturnType<McpTool['call']>>;
type Responses = Readonly<Record<string, unknown>>;

const KEY = randomBytes(32);
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const EMPTY = { type: 'object' as const, properties: {} };

/** Returns the state with a signature, so that a forged state is detected. */
const signed = (state: string) => `${state}.${createHmac('sha256', KEY).update(state).digest('hex')}`;

/** Returns the state that the caller sent back, or undefined. Throws `bad_request` when its signature is invalid. */
function givenState({ context }: McpCall): string | undefined {
  const given = context.mcpReq.requestState<string>();
  if (given === undefined) return undefined;
  const state = given.split('.')[0] ?? '';
  if (signed(state) !== given) throw new MeshError('bad_request', 'The state was tampered with.');
  return state;
}

const listResponses = ({ context }: McpCall): Responses => context.mcpReq.inputResponses ?? {};

/** Returns the fields of the accepted form under `key`, or undefined. */
function formAt(responses: Responses, key: string): Record<string, unknown> | undefined {
  const response = responses[key];
  if (typeof response !== 'object' || response === null || !('action' in response) || response.action !== 'accept')
    return undefined;
  const content = 'content' in response ? response.content : undefined;
  return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
}

const form = (message: string, field: string, type: 'string' | 'boolean' = 'string') => ({
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties: { [field]: { type } }, required: [field] },
  },
});
const sampling = (words: string, maxTokens: number) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: text(words) }], maxTokens },
});
const ROOTS = { method: 'roots/list' as const, params: {} };

const wanted = (inputRequests: Record<string, unknown>, requestState?: string): Answer =>
  ({ resultType: 'input_required', inputRequests, ...(requestState === undefined ? {} : { requestState }) }) as Answer;
const said = (words: string): Answer => ({ content: [text(words)] });

function inputTool(name: string, call: (call: McpCall) => Answer): McpTool {
  return {
    definition: { name, description: 'Asks its caller for something before it answers.', inputSchema: EMPTY },
    call: async (_args, one) => call(one),
  };
}

const prefix = 'test_input_required_result';

/** Tools that answer in several rounds and request missing input from the caller. */
export const inputTools: readonly McpTool[] = [
  inputTool(`${prefix}_elicitation`, (call) => {
    const name = formAt(listResponses(call), 'user_name')?.['name'];
    return typeof name === 'string'
      ? said(`Hello, ${name}!`)
      : wanted({ user_name: form('What is your name?', 'name') });
  }),
  inputTool(`${prefix}_sampling`, (call) => {
    const answer = listResponses(call)['capital_question'];
    return answer === undefined
      ? wanted({ capital_question: sampling('What is the capital of France?', 100) })
      : said(`The model said: ${JSON.stringify(answer)}`);
  }),
  inputTool(`${prefix}_list_roots`, (call) => {
    const roots = listResponses(call)['client_roots'];
    return roots === undefined ? wanted({ client_roots: ROOTS }) : said(`Roots: ${JSON.stringify(roots)}`);
  }),
  inputTool(`${prefix}_request_state`, (call) => {
    const isConfirmed = formAt(listResponses(call), 'confirm') !== undefined && givenState(call) === 'confirming';
    return isConfirmed
      ? said('state-ok')
      : wanted({ confirm: form('Please confirm', 'ok', 'boolean') }, signed('confirming'));
  }),
  inputTool(`${prefix}_multiple_inputs`, (call) => {
    const responses = listResponses(call);
    const asked = {
      user_name: form('What is your name?', 'name'),
      greeting: sampling('Generate a greeting', 50),
      client_roots: ROOTS,
    };
    const isWhole = givenState(call) === 'three' && Object.keys(asked).every((key) => responses[key] !== undefined);
    return isWhole ? said(`All three: ${JSON.stringify(responses)}`) : wanted(asked, signed('three'));
  }),
  inputTool(`${prefix}_multi_round`, (call) => {
    const responses = listResponses(call);
    const state = givenState(call);
    if (state === 'second' && formAt(responses, 'step2')) return said('Both steps are done.');
    if (state === 'first' && formAt(responses, 'step1')) {
      return wanted({ step2: form('Step 2: What is your favorite color?', 'color') }, signed('second'));
    }
    return wanted({ step1: form('Step 1: What is your name?', 'name') }, signed('first'));
  }),
  {
    ...inputTool(`${prefix}_tampered_state`, () => said('')),
    async call(_args, call) {
      // An invalid state is a protocol error, not a tool result.
      const given = call.context.mcpReq.requestState<string>();
      if (given === undefined) return wanted({ confirm: form('Please confirm', 'ok', 'boolean') }, signed('sealed'));
      if (signed(given.split('.')[0] ?? '') === given) return said('The state is whole.');
      const { ProtocolError } = await import('../../daemon/features/mcp/mcp-library.js');
      throw new ProtocolError(-32602, 'The state was tampered with.');
    },
  },
  inputTool(`${prefix}_capabilities`, ({ context }) => {
    const { envelope } = context.mcpReq;
    const capabilities =
      (envelope as Record<string, Record<string, unknown> | undefined> | undefined)?.[CAPABILITIES] ?? {};
    return wanted({
      ...('sampling' in capabilities ? { sampled: sampling('Say something', 20) } : {}),
      ...('elicitation' in capabilities ? { typed: form('What is your name?', 'name') } : {}),
      ...('roots' in capabilities ? { roots: ROOTS } : {}),
    });
  }),
];

/** Returns the prompt, or a request for the input that it needs. */
export function inputPrompt(responses: Responses) {
  const context = formAt(responses, 'user_context')?.['context'];
  if (typeof context === 'string')
    return { messages: [{ role: 'user' as const, content: text(`With this context: ${context}`) }] };
  return wanted({ user_context: form('What context should the prompt use?', 'context') }) as never;
}
