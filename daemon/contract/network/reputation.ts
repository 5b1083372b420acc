import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';

export const DIMENSIONS = ['reliability', 'speed', 'quality', 'settlement'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** Weight of each dimension in the score; renormalized over the dimensions that have reports. */
export const DIMENSION_WEIGHTS: Readonly<Record<Dimension, number>> = {
  reliability: 0.4,
  quality: 0.3,
  speed: 0.2,
  settlement: 0.1,
};
/** Weight of a report: with a valid receipt or a settled payment, from a bound key, from any other key. */
export const REPORT_WEIGHTS = { proven: 1, bound: 0.25, unbound: 0.05 } as const;
/** Maximum total weight of all reports of one reporter about one supplier. */
export const REPORTER_WEIGHT_MAX = 5;
/**
 * Maximum total weight of all reports about one supplier by keys that no agent has bound. It equals one report by a
 * bound key, so that any number of keys created for the purpose counts less than one caller that can prove it was
 * served.
 */
export const UNBOUND_WEIGHT_MAX = 0.25;
/**
 * Maximum number of reports by keys that no agent has bound which one daemon may file about a supplier within
 * `UNBOUND_REPORTS_DAYS`. Such keys are free, and every report stays in the public log of every daemon.
 */
export const UNBOUND_REPORTS_MAX = 1000;
export const UNBOUND_REPORTS_DAYS = 30;
export const REPORT_HALF_LIFE_DAYS = 90;
/** Maximum size in bytes of a report as it was sent: every byte is stored in the public log. */
export const REPORT_BODY_LIMIT = 8192;
/**
 * The total weight that the proven reports about an agent must exceed before it gets credit; three fresh reports are
 * enough.
 */
export const CREDIT_EVIDENCE = 2;
/**
 * Speed scores from outcomes: a latency up to the first value scores best, one from the second value on scores zero.
 */
export const SPEED_BEST_MS = 1000;
export const SPEED_WORST_MS = 30_000;

/** Maximum clock difference of the caller for `Mesh-Sig`. Spec: Authentication. */
export const SIGNATURE_WINDOW_SECONDS = 120;

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const Dims = Type.Object(
  {
    reliability: Type.Optional(Share),
    speed: Type.Optional(Share),
    quality: Type.Optional(Share),
    settlement: Type.Optional(Share),
  },
  { $id: 'Dims', additionalProperties: false },
);
export type Dims = Static<typeof Dims>;

/** Either `dims`, or outcomes from which they are computed. Signed with `Mesh-Sig`. Spec: Reputation report. */
export const ReportBody = Type.Object(
  {
    dims: Type.Optional(Dims),
    success: Type.Optional(Type.Boolean()),
    latency_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400_000 })),
    quality: Type.Optional(Type.Number({ minimum: 1, maximum: 5 })),
    paid: Type.Optional(Type.Boolean()),
    disputed: Type.Optional(Type.Boolean()),
    capability: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    receipt: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    payment: Type.Optional(
      Type.Object(
        {
          network: Type.String({ minLength: 1, maxLength: 64 }),
          signature: Type.String({ minLength: 1, maxLength: 128 }),
        },
        {
          additionalProperties: false,
          description: 'The transaction that paid for a call which the key of the report signed. Each counts once.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type ReportBody = Static<typeof ReportBody>;

export const PROOFS = ['receipt', 'payment', 'bound', 'unbound'] as const;
export type Proof = (typeof PROOFS)[number];

const ShareOrNull = Type.Union([Share, Type.Null()]);

/**
 * The supplier's score including this report. `dims` lists all four dimensions; those without a report are null.
 * Spec: Reputation report.
 */
export const ReportFiled = Type.Object(
  {
    ok: Type.Literal(true),
    score: Share,
    dims: Type.Object({
      reliability: ShareOrNull,
      speed: ShareOrNull,
      quality: ShareOrNull,
      settlement: ShareOrNull,
    }),
  },
  { $id: 'ReportFiled' },
);
export type ReportFiled = Static<typeof ReportFiled>;

export const Reputation = Type.Object(
  {
    agent_id: Type.String(),
    score: Type.Union([Share, Type.Null()]),
    dims: Dims,
    reports: Type.Integer(),
    message_through_count: Type.Integer(),
    impression_count: Type.Integer(),
    status: Type.Unsafe<'rated' | 'not_yet_rated'>(Type.String({ enum: ['rated', 'not_yet_rated'] })),
    as_of: Type.Integer({
      description: 'The time to which the reports were decayed, epoch seconds: with the log it gives this very score.',
    }),
  },
  { $id: 'Reputation' },
);
export type Reputation = Static<typeof Reputation>;

/** An entry of the public log: the exact text that was signed, so that anyone can verify it and recompute the score. */
export const SignedReport = Type.Object(
  {
    seq: Type.Integer(),
    agent_id: Type.String(),
    reporter: Type.String({ description: 'The reporter’s key, standard base64.' }),
    reporter_agent_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The agent to which that key was bound when it was filed.',
    }),
    ts: Type.Integer(),
    nonce: Type.String(),
    method: Type.String(),
    path: Type.String(),
    body: Type.String({ description: 'The raw body that was signed.' }),
    sig: Type.String(),
    dims: Dims,
    weight: Type.Number({ description: 'By its proof alone, before cap and decay.' }),
    proof: oneOf(PROOFS),
    filed_at: Type.Integer(),
  },
  { $id: 'SignedReport' },
);
export type SignedReport = Static<typeof SignedReport>;

/** How a score is computed from the log, as numbers and in words. */
export const ReportRules = Type.Object(
  {
    text: Type.String(),
    weights: Type.Object({ proven: Type.Number(), bound: Type.Number(), unbound: Type.Number() }),
    reporter_weight_max: Type.Number(),
    unbound_weight_max: Type.Number(),
    half_life_days: Type.Number(),
    dimension_weights: Type.Object({
      reliability: Type.Number(),
      quality: Type.Number(),
      speed: Type.Number(),
      settlement: Type.Number(),
    }),
    known_daemons: Type.Array(Type.String(), { description: 'Keys whose receipts count, standard base64.' }),
  },
  { $id: 'ReportRules' },
);
export type ReportRules = Static<typeof ReportRules>;

/** Oldest first: the log is append-only. */
export const ReportLog = Type.Object(
  {
    reports: Type.Array(Type.Ref('SignedReport')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    rules: Type.Ref('ReportRules'),
  },
  { $id: 'ReportLog' },
);
export type ReportLog = { reports: SignedReport[]; count: number; next_cursor: string | null; rules: ReportRules };
