import type { Usage } from '../../../contract/conversations.js';
import { countOf, type JsonObject, listOf, objectOf, parseObject, textOf } from '../agent-program-json.js';

/** The parsed meaning of one line of the program's stream. Irrelevant lines are `other`. */
export type Frame =
  | { kind: 'session'; session: string }
  | { kind: 'message_start'; id: string }
  | { kind: 'block_start' }
  | { kind: 'text'; text: string }
  | {
      kind: 'said';
      id: string;
      isNested: boolean;
      texts: string[];
      tools: { id: string; name: string; target: string }[];
    }
  | { kind: 'results'; results: { id: string; isError: boolean; output: string }[] }
  | {
      kind: 'question';
      request: string;
      tool: string;
      target: string;
      reason: string;
      input: JsonObject;
      suggestions: readonly unknown[];
    }
  | { kind: 'retry'; attempt: number; of: number; error: string; status: number | undefined }
  | { kind: 'result'; isError: boolean; message: string; usage: Usage }
  | { kind: 'other' };

const OTHER: Frame = { kind: 'other' };

/** Parses one line. Returns undefined when it is not a JSON object. */
export function readFrame(line: string): Frame | undefined {
  const frame = parseObject(line);
  if (!frame) return undefined;
  switch (frame['type']) {
    case 'system':
      return readSystem(frame);
    case 'stream_event':
      // A subagent's text is not part of the answer.
      return frame['parent_tool_use_id'] ? OTHER : readStreamEvent(objectOf(frame['event']));
    case 'assistant':
      return readSaid(frame);
    case 'user':
      return readResults(objectOf(frame['message']));
    case 'control_request':
      return readQuestion(frame);
    case 'result':
      return readResult(frame);
    default:
      return OTHER;
  }
}

function readSystem(frame: JsonObject): Frame {
  if (frame['subtype'] === 'init' && textOf(frame['session_id']) !== '')
    return { kind: 'session', session: textOf(frame['session_id']) };
  if (frame['subtype'] !== 'api_retry') return OTHER;
  const { attempt, max_retries, error, error_status } = frame;
  return {
    kind: 'retry',
    attempt: countOf(attempt) ?? 0,
    of: countOf(max_retries) ?? 0,
    error: textOf(error),
    status: countOf(error_status),
  };
}

function readStreamEvent(event: JsonObject): Frame {
  if (event['type'] === 'message_start') return { kind: 'message_start', id: textOf(objectOf(event['message'])['id']) };
  if (event['type'] === 'content_block_start') {
    return objectOf(event['content_block'])['type'] === 'text' ? { kind: 'block_start' } : OTHER;
  }
  const delta = objectOf(event['delta']);
  const isText = event['type'] === 'content_block_delta' && delta['type'] === 'text_delta';
  return isText ? { kind: 'text', text: textOf(delta['text']) } : OTHER;
}

function readSaid(frame: JsonObject): Frame {
  const message = objectOf(frame['message']);
  const blocks = listOf(message['content']).map(objectOf);
  const tools = blocks.filter(({ type }) => type === 'tool_use').filter(({ id }) => textOf(id) !== '');
  return {
    kind: 'said',
    id: textOf(message['id']),
    isNested: Boolean(frame['parent_tool_use_id']),
    // The program repeats a synthetic message in its result.
    texts:
      message['model'] === '<synthetic>'
        ? []
        : blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text)),
    tools: tools.map(({ id, name, input }) => ({
      id: textOf(id),
      name: textOf(name),
      target: targetOf(objectOf(input)),
    })),
  };
}

function readResults(message: JsonObject): Frame {
  const blocks = listOf(message['content']).map(objectOf);
  const results = blocks.filter(({ type, tool_use_id }) => type === 'tool_result' && textOf(tool_use_id) !== '');
  if (results.length === 0) return OTHER;
  return {
    kind: 'results',
    results: results.map(({ tool_use_id, is_error, content }) => ({
      id: textOf(tool_use_id),
      isError: is_error === true,
      output: typeof content === 'string' ? content : textsOf(content),
    })),
  };
}

function readQuestion(frame: JsonObject): Frame {
  const asked = objectOf(frame['request']);
  if (asked['subtype'] !== 'can_use_tool') return OTHER;
  const input = objectOf(asked['input']);
  return {
    kind: 'question',
    request: textOf(frame['request_id']),
    tool: textOf(asked['tool_name']),
    target: targetOf(input),
    reason: textOf(asked['decision_reason']) || textOf(asked['description']) || textOf(input['description']),
    input,
    suggestions: listOf(asked['permission_suggestions']),
  };
}

function readResult(frame: JsonObject): Frame {
  const usage = objectOf(frame['usage']);
  const read = [usage['input_tokens'], usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']].map(
    countOf,
  );
  const input = read.some((count) => count !== undefined)
    ? read.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : undefined;
  const output = countOf(usage['output_tokens']);
  const cost = frame['total_cost_usd'];
  const errors = listOf(frame['errors']).map(textOf).filter(Boolean);
  return {
    kind: 'result',
    isError: frame['is_error'] === true || (textOf(frame['subtype']) !== '' && frame['subtype'] !== 'success'),
    message: errors.join(' ') || textOf(frame['result']) || textOf(frame['subtype']),
    usage: {
      ...(input === undefined ? {} : { input_tokens: input }),
      ...(output === undefined ? {} : { output_tokens: output }),
      ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { cost_usd: cost } : {}),
    },
  };
}

/** Returns the target of a tool use: the first of these input fields that is set. */
function targetOf(input: JsonObject): string {
  for (const field of [
    'file_path',
    'notebook_path',
    'command',
    'pattern',
    'url',
    'query',
    'description',
    'path',
    'subject',
    'task_id',
  ]) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

const textsOf = (content: unknown): string =>
  listOf(content)
    .map((block) => textOf(objectOf(block)['text']))
    .filter(Boolean)
    .join('\n');
