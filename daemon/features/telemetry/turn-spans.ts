import {
  type Attributes,
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import {
  ATTR_GEN_AI_AGENT_ID,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_USER_AGENT_NAME,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
} from '@opentelemetry/semantic-conventions/incubating';
import { getSpanId, getTraceId, parseTraceparent } from './trace-context.js';
import type { ToolRecord, TurnRecord } from './turn-record.js';

type Span = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

/** What spans are recorded with: the daemon, and the name and version of what recorded them. */
export interface SpanOrigin {
  resource: Resource;
  scope: Span['instrumentationScope'];
}

interface SpanFacts {
  name: string;
  kind: SpanKind;
  identity: { traceId: string; spanId: string };
  parent: { traceId: string; spanId: string; isRemote: boolean } | undefined;
  startMs: number;
  endMs: number;
  /** Null when it went well. */
  error: { type: string; message?: string | undefined } | null;
  attributes: Attributes;
}

/** The provider of the models that a client runs, where the client knows one only; else the client itself. */
const PROVIDERS: Readonly<Record<string, string>> = { 'claude-code': 'anthropic', builtin: 'meshd' };
export const getProvider = (client: string): string => PROVIDERS[client] ?? client;
/** The value of `error.type`: the turn's code, else how it ended. Undefined for an answered turn. */
export const getErrorType = ({ outcome, code }: TurnRecord): string | undefined =>
  outcome === 'answered' ? undefined : (code ?? outcome);

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
const toContext = (identity: { traceId: string; spanId: string }, isRemote: boolean): SpanContext => ({
  traceId: identity.traceId,
  spanId: identity.spanId,
  traceFlags: TraceFlags.SAMPLED,
  isRemote,
});
const toMessages = (role: 'user' | 'assistant', text: string, more: object = {}) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content: text }], ...more }]);

/**
 * Makes a span that has ended. The tracer of the SDK is not used: turns are reported at their end, and their ids
 * are derived, which it has no way for.
 */
export function toSpan({ resource, scope }: SpanOrigin, facts: SpanFacts): Span {
  const { name, kind, identity, parent, startMs, endMs, error, attributes } = facts;
  const end = Math.max(startMs, endMs);
  return {
    name,
    kind,
    spanContext: () => toContext(identity, false),
    ...(parent ? { parentSpanContext: toContext(parent, parent.isRemote) } : {}),
    startTime: toHrTime(startMs),
    endTime: toHrTime(end),
    duration: toHrTime(end - startMs),
    status: error
      ? { code: SpanStatusCode.ERROR, ...(error.message ? { message: error.message } : {}) }
      : { code: SpanStatusCode.UNSET },
    attributes: error ? { ...attributes, [ATTR_ERROR_TYPE]: error.type } : attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/**
 * Returns the spans of a turn: that of the ask which it answers, its own, and those of its tool calls. None when the
 * caller does not record its trace.
 */
export function toSpans(origin: SpanOrigin, record: TurnRecord): Span[] {
  const remote = parseTraceparent(record.traceparent);
  if (remote?.isSampled === false) return [];
  const { turn, ask, agent, root, parent, tools, startedMs, content } = record;
  const traceId = remote?.traceId ?? getTraceId(root);
  const type = getErrorType(record);
  const error = type === undefined ? null : { type, message: content?.reason };
  const above = parent ? { traceId, spanId: getSpanId('turn', parent), isRemote: false } : undefined;
  const caller = remote && { traceId, spanId: remote.spanId, isRemote: true };
  const askSpan = ask && { traceId, spanId: getSpanId('ask', ask.id), isRemote: false };
  const turnSpan = { traceId, spanId: getSpanId('turn', turn), isRemote: false };
  const spans: Span[] = [];
  if (ask && askSpan)
    spans.push(
      toSpan(origin, {
        name: `ask ${agent.id}`,
        kind: SpanKind.SERVER,
        identity: askSpan,
        parent: caller,
        startMs: record.createdMs,
        endMs: record.finishedMs,
        error,
        attributes: {
          'meshd.member': agent.id,
          'meshd.request.id': ask.id,
          'meshd.request.status': error ? 'error' : 'done',
          [ATTR_USER_AGENT_NAME]: ask.caller,
        },
      }),
    );
  if (startedMs === null) return spans;
  spans.push(
    toSpan(origin, {
      name: `${GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT} ${agent.id}`,
      kind: SpanKind.INTERNAL,
      identity: turnSpan,
      parent: askSpan ?? above ?? caller,
      startMs: startedMs,
      endMs: record.finishedMs,
      error,
      attributes: toTurnAttributes(record),
    }),
    ...tools.map((tool) => toToolSpan(origin, turnSpan, record, tool)),
  );
  return spans;
}

function toTurnAttributes({ agent, client, model, conv, turn, usage, content }: TurnRecord): Attributes {
  return {
    [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
    [ATTR_GEN_AI_PROVIDER_NAME]: getProvider(client),
    [ATTR_GEN_AI_AGENT_ID]: agent.id,
    [ATTR_GEN_AI_AGENT_NAME]: agent.name,
    [ATTR_GEN_AI_CONVERSATION_ID]: conv,
    ...(model === '' ? {} : { [ATTR_GEN_AI_REQUEST_MODEL]: model }),
    ...(usage?.input_tokens === undefined ? {} : { [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: usage.input_tokens }),
    ...(usage?.output_tokens === undefined ? {} : { [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: usage.output_tokens }),
    ...(usage?.cost_usd === undefined ? {} : { 'meshd.usage.cost_usd': usage.cost_usd }),
    'meshd.client': client,
    'meshd.turn.id': turn,
    ...(content
      ? {
          [ATTR_GEN_AI_INPUT_MESSAGES]: toMessages('user', content.question),
          [ATTR_GEN_AI_OUTPUT_MESSAGES]: toMessages('assistant', content.answer, { finish_reason: 'stop' }),
        }
      : {}),
  };
}

function toToolSpan(origin: SpanOrigin, turn: NonNullable<SpanFacts['parent']>, record: TurnRecord, tool: ToolRecord) {
  return toSpan(origin, {
    name: `${GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL} ${tool.name}`,
    kind: SpanKind.INTERNAL,
    identity: { traceId: turn.traceId, spanId: getSpanId('tool', `${record.turn} ${tool.id}`) },
    parent: turn,
    startMs: tool.startedMs,
    endMs: tool.finishedMs,
    error: tool.isFailed ? { type: 'tool_failed' } : null,
    attributes: {
      [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
      [ATTR_GEN_AI_TOOL_NAME]: tool.name,
      [ATTR_GEN_AI_TOOL_CALL_ID]: tool.id,
      [ATTR_GEN_AI_CONVERSATION_ID]: record.conv,
      ...(tool.input === undefined ? {} : { [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: tool.input }),
      ...(tool.output === undefined ? {} : { [ATTR_GEN_AI_TOOL_CALL_RESULT]: tool.output }),
    },
  });
}
