import { setTimeout as pause } from 'node:timers/promises';
import { CallRefusedError } from '../../daemon/features/mcp/call-refused.js';
import type { McpCall, McpSurface, McpTool } from '../../daemon/features/mcp/mcp-surface.js';
import { MeshError } from '../../daemon/lib/errors.js';
import { DEFAULTS_FORM, ENUMS_FORM, PIXEL, picture, SCHEMA_2020_12, SILENCE, text } from './fixture-contents.js';
import { inputPrompt, inputTools } from './input-fixtures.js';

const EMPTY = { type: 'object' as const, properties: {} };
const STEP_MS = 50;

type Answer = Awaited<ReturnType<McpTool['call']>>;

function tool(
  name: string,
  call: (args: Record<string, unknown>, call: McpCall) => Promise<Answer> | Answer,
  inputSchema: McpTool['definition']['inputSchema'] = EMPTY,
): McpTool {
  return {
    definition: { name, description: 'A tool of the conformance suite.', inputSchema },
    call: async (args, one) => call(args, one),
  };
}

const oneString = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' } },
  required: [name],
});
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const elicited = ({ action, content }: { action: string; content?: unknown }) =>
  text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);

/** Tools that answer directly. */
const plainTools: readonly McpTool[] = [
  tool('test_simple_text', () => ({ content: [text('This is a simple text response for testing.')] })),
  tool('test_image_content', () => ({ content: [picture] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      text('Multiple content types test:'),
      picture,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', () => {
    throw new CallRefusedError({ error: 'intended', message: 'This tool intentionally returns an error for testing' });
  }),
  tool('json_schema_2020_12_tool', (args) => ({ content: [text(JSON.stringify(args))] }), SCHEMA_2020_12),
  tool('test_tool_with_logging', async (_args, { context }) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.log('info', words);
      await pause(STEP_MS);
    }
    return { content: [text('Logged three times.')] };
  }),
  tool('test_logging_tool', async (_args, { context }) => {
    await context.mcpReq.log('info', 'Heard by whoever asked for it.');
    return { content: [text('Logged.')] };
  }),
  tool('test_tool_with_progress', async (_args, { context }) => {
    const token = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (token !== undefined) {
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total: 100 },
        });
      }
      await pause(STEP_MS);
    }
    return { content: [text('Done.')] };
  }),
];

/** Tools that request something from their caller while they run. */
const askingTools: readonly McpTool[] = [
  tool(
    'test_sampling',
    async ({ prompt }, { context }) => {
      const messages = [{ role: 'user' as const, content: text(String(prompt)) }];
      const { content } = await context.mcpReq.requestSampling({ messages, maxTokens: 100 });
      const [first] = [content].flat();
      return { content: [text(`LLM response: ${first?.type === 'text' ? first.text : ''}`)] };
    },
    oneString('prompt'),
  ),
  tool(
    'test_elicitation',
    async ({ message }, { context }) => {
      const field = (description: string) => ({ type: 'string' as const, description });
      const properties = { username: field('User’s response'), email: field('User’s email address') };
      const requestedSchema = { type: 'object' as const, properties, required: ['username', 'email'] };
      const { action, content } = await context.mcpReq.elicitInput({
        mode: 'form',
        message: String(message),
        requestedSchema,
      });
      return { content: [text(`User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`)] };
    },
    oneString('message'),
  ),
  tool('test_elicitation_sep1034_defaults', async (_args, { context }) => ({
    content: [
      elicited(
        await context.mcpReq.elicitInput({ mode: 'form', message: 'Check these', requestedSchema: DEFAULTS_FORM }),
      ),
    ],
  })),
  tool('test_elicitation_sep1330_enums', async (_args, { context }) => ({
    content: [
      elicited(await context.mcpReq.elicitInput({ mode: 'form', message: 'Choose', requestedSchema: ENUMS_FORM })),
    ],
  })),
  tool('test_streaming_elicitation', async (_args, { context }) => {
    const token = context.mcpReq._meta?.progressToken;
    if (token !== undefined)
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    return {
      resultType: 'input_required',
      inputRequests: {
        name: {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Your name?', requestedSchema: oneString('name') },
        },
      },
    } as Answer;
  }),
  tool('test_missing_capability', async (_args, { context }) => {
    const { envelope } = context.mcpReq;
    const declared =
      (envelope as Record<string, object | undefined> | undefined)?.['io.modelcontextprotocol/clientCapabilities'] ??
      {};
    if ('sampling' in declared) return { content: [text('You can sample.')] };
    const { MissingRequiredClientCapabilityError } = await import('../../daemon/features/mcp/mcp-library.js');
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  }),
];

/** Tools that notify all listeners that lists have changed. */
const changingTools = (changed: () => void): McpTool[] =>
  ['test_trigger_tool_change', 'test_trigger_prompt_change'].map((name) =>
    tool(name, () => {
      changed();
      return { content: [text('Changed.')] };
    }),
  );

const RESOURCES = [
  { uri: 'test://static-text', name: 'Static text', description: 'A text that never changes.', mimeType: 'text/plain' },
  {
    uri: 'test://static-binary',
    name: 'Static binary',
    description: 'A picture that never changes.',
    mimeType: 'image/png',
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched',
    description: 'A text that can be watched.',
    mimeType: 'text/plain',
  },
];
const TEMPLATED = /^test:\/\/template\/([^/]+)\/data$/;

function contentsAt(uri: string) {
  const [, id] = TEMPLATED.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
  }
  switch (uri) {
    case 'test://static-text':
      return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
    case 'test://watched-resource':
      return { uri, mimeType: 'text/plain', text: 'Watched.' };
    case 'test://static-binary':
      return { uri, mimeType: 'image/png', blob: PIXEL };
    default:
      throw new MeshError('not_found', 'Resource not found');
  }
}

const argument = (name: string) => ({ name, description: `The argument ${name}.`, required: true });
const PROMPTS = [
  { name: 'test_simple_prompt', description: 'Without arguments.' },
  { name: 'test_prompt_with_arguments', description: 'With two.', arguments: [argument('arg1'), argument('arg2')] },
  { name: 'test_prompt_with_embedded_resource', description: 'With a resource.', arguments: [argument('resourceUri')] },
  { name: 'test_prompt_with_image', description: 'With a picture.' },
  { name: 'test_input_required_result_prompt', description: 'Asks first.' },
];

const by = (...contents: (ReturnType<typeof text> | typeof picture | ReturnType<typeof embedded>)[]) => ({
  messages: contents.map((content) => ({ role: 'user' as const, content })),
});

function getPrompt(name: string, args: Readonly<Record<string, string>>) {
  switch (name) {
    case 'test_simple_prompt':
      return by(text('This is a simple prompt for testing.'));
    case 'test_prompt_with_arguments':
      return by(text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`));
    case 'test_prompt_with_embedded_resource':
      return by(
        embedded(args['resourceUri'] ?? '', 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      );
    case 'test_prompt_with_image':
      return by(picture, text('Please analyze the image above.'));
    default:
      throw new MeshError('bad_request', 'There is no such prompt.');
  }
}

/**
 * Returns the tools, resources and prompts that the conformance suite expects of a server, in the form of a member's
 * surface. `changed` is called by tools that change a list.
 */
export function fixtures(changed: () => void): McpSurface {
  const listChanged = true;
  return {
    info: { name: 'meshd-conformance', version: '1.0.0' },
    capabilities: {
      tools: { listChanged },
      prompts: { listChanged },
      resources: { subscribe: true },
      completions: {},
      logging: {},
    },
    tools: [...plainTools, ...askingTools, ...inputTools, ...changingTools(changed)],
    listResources: async () => ({ resources: RESOURCES }),
    listResourceTemplates: () => ({
      resourceTemplates: [
        {
          uriTemplate: 'test://template/{id}/data',
          name: 'Template',
          description: 'By id.',
          mimeType: 'application/json',
        },
      ],
    }),
    readResource: async (uri) => ({ contents: [contentsAt(uri)] }),
    listPrompts: () => ({ prompts: PROMPTS }),
    getPrompt: async (name, args, context) =>
      name === 'test_input_required_result_prompt'
        ? inputPrompt(context.mcpReq.inputResponses ?? {})
        : getPrompt(name, args),
    complete: async ({ argument: { value } }) => ({
      completion: { values: ['paris', 'park', 'party'].filter((one) => one.startsWith(value)), hasMore: false },
    }),
    more(server) {
      server.setRequestHandler('resources/subscribe', () => ({}));
      server.setRequestHandler('resources/unsubscribe', () => ({}));
    },
  };
}
