import type { Usage } from '../../../contract/conversations.js';
import { isSince, type Version } from '../agent-program-cost.js';
import { type JsonObject, parseObject, toCount, toList, toObject, toText } from '../agent-program-json.js';

/** The parsed meaning of one line of the program's stream. Irrelevant lines are `other`. */
export type Frame =
  /** `keepsCost`: a session that is continued begins with what it has cost, not with nothing. */
  | { kind: 'session'; session: string; keepsCost: boolean }
  | { kind: 'message_start'; id: string; usage: Usage }
  /** What the streamed message has taken so far. */
  | { kind: 'message_usage'; usage: Usage }
  | { kind: 'block_start' }
  | { kind: 'text'; text: string }
  | {
      kind: 'said';
      id: string;
      isNested: boolean;
      usage: Usage;
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
    }
  | { kind: 'retry'; attempt: number; of: number; error: string; status: number | undefined }
  /** Whether tasks run in the background now, besides those of the program's own housekeeping. */
  | { kind: 'background'; isAny: boolean }
  /** The cost is that of the process and of what the session had cost where that is kept. */
  | { kind: 'result'; isError: boolean; message: string; usage: Usage }
  | { kind: 'other' };

/** The first version that restores the totals of a session with `--resume` in print mode. */
const KEEPS_COST: Version = [2, 1, 277];

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
      return frame['parent_tool_use_id'] ? OTHER : readStreamEvent(toObject(frame['event']));
    case 'assistant':
      return readMessageFrame(frame);
    case 'user':
      return readResults(toObject(frame['message']));
    case 'control_request':
      return readQuestion(frame);
    case 'result':
      return readResult(frame);
    default:
      return OTHER;
  }
}

function readSystem(frame: JsonObject): Frame {
  if (frame['subtype'] === 'init' && toText(frame['session_id']) !== '')
    return {
      kind: 'session',
      session: toText(frame['session_id']),
      keepsCost: isSince(toText(frame['claude_code_version']), KEEPS_COST),
    };
  if (frame['subtype'] === 'background_tasks_changed')
    return { kind: 'background', isAny: toList(frame['tasks']).some((task) => toObject(task)['ambient'] !== true) };
  if (frame['subtype'] !== 'api_retry') return OTHER;
  const { attempt, max_retries, error, error_status } = frame;
  return {
    kind: 'retry',
    attempt: toCount(attempt) ?? 0,
    of: toCount(max_retries) ?? 0,
    error: toText(error),
    status: toCount(error_status),
  };
}

function readStreamEvent(event: JsonObject): Frame {
  if (event['type'] === 'message_start') {
    const { id, usage } = toObject(event['message']);
    return { kind: 'message_start', id: toText(id), usage: readUsage(toObject(usage)) };
  }
  if (event['type'] === 'message_delta') return { kind: 'message_usage', usage: readUsage(toObject(event['usage'])) };
  if (event['type'] === 'content_block_start') {
    return toObject(event['content_block'])['type'] === 'text' ? { kind: 'block_start' } : OTHER;
  }
  const delta = toObject(event['delta']);
  const isText = event['type'] === 'content_block_delta' && delta['type'] === 'text_delta';
  return isText ? { kind: 'text', text: toText(delta['text']) } : OTHER;
}

function readMessageFrame(frame: JsonObject): Frame {
  const message = toObject(frame['message']);
  const blocks = toList(message['content']).map(toObject);
  const tools = blocks.filter(({ type }) => type === 'tool_use').filter(({ id }) => toText(id) !== '');
  return {
    kind: 'said',
    id: toText(message['id']),
    isNested: Boolean(frame['parent_tool_use_id']),
    usage: readUsage(toObject(message['usage'])),
    // The program repeats a synthetic message in its result.
    texts:
      message['model'] === '<synthetic>'
        ? []
        : blocks.filter(({ type }) => type === 'text').map(({ text }) => toText(text)),
    tools: tools.map(({ id, name, input }) => ({
      id: toText(id),
      name: toText(name),
      target: getTarget(toObject(input)),
    })),
  };
}

function readResults(message: JsonObject): Frame {
  const blocks = toList(message['content']).map(toObject);
  const results = blocks.filter(({ type, tool_use_id }) => type === 'tool_result' && toText(tool_use_id) !== '');
  if (results.length === 0) return OTHER;
  return {
    kind: 'results',
    results: results.map(({ tool_use_id, is_error, content }) => ({
      id: toText(tool_use_id),
      isError: is_error === true,
      output: typeof content === 'string' ? content : listTexts(content),
    })),
  };
}

function readQuestion(frame: JsonObject): Frame {
  const asked = toObject(frame['request']);
  if (asked['subtype'] !== 'can_use_tool') return OTHER;
  const input = toObject(asked['input']);
  return {
    kind: 'question',
    request: toText(frame['request_id']),
    tool: toText(asked['tool_name']),
    target: getTarget(input),
    reason: toText(asked['decision_reason']) || toText(asked['description']) || toText(input['description']),
    input,
  };
}

function readUsage(usage: JsonObject): Usage {
  const read = [usage['input_tokens'], usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']].map(
    toCount,
  );
  const input = read.some((count) => count !== undefined)
    ? read.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : undefined;
  const output = toCount(usage['output_tokens']);
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
  };
}

function readResult(frame: JsonObject): Frame {
  const cost = frame['total_cost_usd'];
  const errors = toList(frame['errors']).map(toText).filter(Boolean);
  return {
    kind: 'result',
    isError: frame['is_error'] === true || (toText(frame['subtype']) !== '' && frame['subtype'] !== 'success'),
    message: errors.join(' ') || toText(frame['result']) || toText(frame['subtype']),
    usage: {
      ...readUsage(toObject(frame['usage'])),
      ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { cost_usd: cost } : {}),
    },
  };
}

/** Returns the target of a tool use: the first of these input fields that is set. */
function getTarget(input: JsonObject): string {
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
    'member',
  ]) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

const listTexts = (content: unknown): string =>
  toList(content)
    .map((block) => toText(toObject(block)['text']))
    .filter(Boolean)
    .join('\n');
