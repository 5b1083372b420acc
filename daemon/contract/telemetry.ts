import { type Static, Type } from 'typebox';
import { orNull } from './one-of.js';

/** Maximum number of headers that are sent with telemetry. */
export const TELEMETRY_HEADERS_MAX = 8;
/** Maximum number of spans that wait to be sent. Further ones are dropped and counted. */
export const TELEMETRY_QUEUE_MAX = 2_048;
/** Maximum length of one text of content: a question, an answer, the input or output of a tool. Cut beyond it. */
export const TELEMETRY_CONTENT_CHARS_MAX = 4_096;

/** Where traces and metrics go, and whether they hold texts. */
export const TelemetrySettings = Type.Object(
  {
    address: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'The collector’s OTLP/HTTP address, `https:`, or `http:` on this machine. `/v1/traces` and `/v1/metrics` are ' +
        'added to it.',
    }),
    content: Type.Optional(
      Type.Boolean({
        description: 'Send questions, answers and tool inputs and outputs too, without secrets. Default false.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" }),
            value: Type.String({
              minLength: 1,
              maxLength: 4_000,
              pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
            }),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: TELEMETRY_HEADERS_MAX,
          description:
            'Sent with each request, for example a key. Kept in `.mesh/credentials` and never shown. When absent, those ' +
            'of the same server are kept.',
        },
      ),
    ),
  },
  { $id: 'TelemetrySettings', additionalProperties: false },
);
export type TelemetrySettings = Static<typeof TelemetrySettings>;

/** What is sent to the collector and how it went since the daemon started. Off until the operator names an address. */
export const Telemetry = Type.Object(
  {
    address: orNull(Type.String({ description: 'Null while telemetry is off.' })),
    content: Type.Boolean(),
    header_names: Type.Array(Type.String()),
    sent: Type.Integer({ minimum: 0, description: 'Spans that the collector took.' }),
    queued: Type.Integer({ minimum: 0, description: `Spans that wait, at most ${TELEMETRY_QUEUE_MAX}.` }),
    dropped: Type.Integer({ minimum: 0, description: 'Spans that did not fit, or that the collector refused.' }),
    last_success_at: orNull(Type.String()),
    last_error: orNull(Type.Object({ at: Type.String(), message: Type.String() })),
  },
  { $id: 'Telemetry' },
);
export type Telemetry = Static<typeof Telemetry>;

/** The outcome of sending one span. */
export const TelemetryTest = Type.Object(
  {
    ok: Type.Boolean(),
    status: orNull(Type.Integer({ description: 'HTTP status of the collector; null without a response.' })),
    message: Type.String({ description: 'What came back, in words.' }),
    ms: Type.Integer({ minimum: 0 }),
    trace_id: Type.String({ description: 'Of the span that was sent.' }),
  },
  { $id: 'TelemetryTest' },
);
export type TelemetryTest = Static<typeof TelemetryTest>;
