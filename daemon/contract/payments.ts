import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';
import { PageFields } from './shared/paging.js';

/**
 * Payment networks by name. `solana:local` is embedded in the daemon and is not real money. The others need a JSON-RPC
 * address in the machine's configuration.
 */
export const NETWORKS = ['solana:local', 'solana:devnet', 'solana:mainnet'] as const;
export type Network = (typeof NETWORKS)[number];
export const LOCAL_NETWORK: Network = 'solana:local';
/**
 * A network by the name under which every daemon of the machine knows it: a local network is `solana:local-` and the
 * first 8 hex digits of its genesis hash, because `solana:local` is each daemon's own.
 */
export type NetworkName = Network | `solana:local-${string}`;

export const X402_VERSION = 1;
/** How long a challenge is valid. */
export const CHALLENGE_SECONDS = 600;
/** Maximum number of unpaid calls of one key before post-pay is refused. */
export const POSTPAY_MAX_UNPAID = 10;
/** Maximum number of unpaid calls of one agent by all keys together before post-pay is refused to every caller. */
export const POSTPAY_MAX_UNPAID_IN_ALL = 20;
/**
 * Free calls of one agent a day, as a multiple of one caller's. All callers together get no more, however many keys
 * they have.
 */
export const FREE_TIER_TOTAL_FACTOR = 10;
/** How long a result is kept for replays of its proof. */
export const PAID_RESULT_RETENTION_DAYS = 30;
export const DEPOSIT_MIN_LAMPORTS_DEFAULT = 1000;

export const PAYMENT_MODES = ['x402', 'deposit'] as const;
/** How a call was paid for. */
export const CALL_MODES = ['free', 'deposit', 'postpay', 'x402'] as const;
export type CallMode = (typeof CALL_MODES)[number];
export const FREE_TIER_BY = ['pubkey', 'ip', 'pubkey+ip'] as const;

const Lamports = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * How an agent accepts payment, as declared in its card. Other keys are kept and ignored. Spec: Payment declaration.
 */
export const PaymentDeclaration = Type.Object(
  {
    modes: Type.Array(oneOf(PAYMENT_MODES), { maxItems: 2 }),
    network: Type.Optional(Type.String({ maxLength: 64 })),
    wallet: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Base58 public key of the provider's own wallet; default: this daemon's.",
      }),
    ),
    deposit: Type.Optional(Type.Object({ min_lamports: Lamports, credit_unit: Type.String({ maxLength: 32 }) })),
    postpay_min_reputation: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()])),
    free_tier: Type.Optional(
      Type.Object({ calls_per_day: Type.Integer({ minimum: 0, maximum: 1_000_000 }), by: oneOf(FREE_TIER_BY) }),
    ),
  },
  { $id: 'PaymentDeclaration', additionalProperties: true },
);
export type PaymentDeclaration = Static<typeof PaymentDeclaration>;

/**
 * Body of a 402 response. The caller pays `amount` to `address` with the nonce as memo. Spec: Skill call with payment.
 */
export const Challenge = Type.Object(
  {
    error: Type.String({
      description: '`payment_required`, or `nonce_spent` when another proof was used for that nonce before.',
    }),
    message: Type.String(),
    x402Version: Type.Literal(X402_VERSION),
    accepts: Type.Array(
      Type.Object({
        scheme: Type.Literal('exact'),
        network: Type.String(),
        address: Type.String(),
        amount: Lamports,
        currency: Type.Literal('lamports'),
        nonce: Type.String(),
        expiresAt: Type.Integer({
          description:
            'Epoch seconds. What is on the chain before it pays for the call at this amount, also when the proof ' +
            'comes later or the price has changed.',
        }),
        tier: Type.Optional(Type.String()),
      }),
    ),
    chainPayUrl: Type.String(),
    nonce: Type.String(),
    reason: Type.Optional(
      Type.String({
        description:
          'Why the proof, balance or post-pay that was offered did not do, or why there is no free call, as a ' +
          'code of `REFUSALS`.',
      }),
    ),
  },
  { $id: 'Challenge' },
);
export type Challenge = Static<typeof Challenge>;

/** Why the offered payment was not accepted. The skill was not run. */
export const REFUSALS = [
  'unknown_nonce',
  'nonce_expired',
  'nonce_of_other_skill',
  'price_changed',
  'nonce_spent',
  'signature_spent',
  'not_yet_visible',
  'transaction_failed',
  'wrong_network',
  'wrong_wallet',
  'amount_too_small',
  'memo_missing',
  'memo_twice',
  'memo_of_other_nonce',
  'older_than_challenge',
  'balance_too_small',
  'reputation_too_low',
  'too_many_unpaid',
  'free_calls_are_signed',
  'network_unavailable',
] as const;
export type Refusal = (typeof REFUSALS)[number];

export const TopupBody = Type.Object(
  { amount_lamports: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
  { additionalProperties: false },
);
export type TopupBody = Static<typeof TopupBody>;
/**
 * The `tk_` key and the payment address; the memo equals the key. The balance appears when the transfer is confirmed.
 */
export const Topup = Type.Object(
  {
    api_key: Type.Union([Type.String(), Type.Null()], { description: 'Null in a replay of the same Idempotency-Key.' }),
    chainPayUrl: Type.Union([Type.String(), Type.Null()]),
    network: Type.String(),
    address: Type.String(),
    memo: Type.Union([Type.String(), Type.Null()]),
    min_lamports: Lamports,
  },
  { $id: 'Topup' },
);
export type Topup = Static<typeof Topup>;
export const Balance = Type.Object({ lamports: Lamports }, { $id: 'Balance' });
export type Balance = Static<typeof Balance>;

/**
 * The state of a payment: `challenged`, `paid` (proof accepted, the skill runs), `settled`, or another final state.
 * `waiting` means that the operator's approval is pending.
 */
export const PAYMENT_STATES = [
  'waiting',
  'challenged',
  'paid',
  'settled',
  'owed',
  'refunded',
  'failed',
  'refused',
  'expired',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
export const LEDGER_SIDES = ['earned', 'spent'] as const;
export type LedgerSide = (typeof LEDGER_SIDES)[number];

/** One paid call, a top-up or a manual payment, on this daemon's side. */
export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: '`pay-` and 16 characters.' }),
    side: oneOf(LEDGER_SIDES),
    kind: oneOf(['call', 'topup', 'transfer'] as const),
    state: oneOf(PAYMENT_STATES),
    mode: Type.Union([oneOf(CALL_MODES), Type.Null()]),
    agent: Type.String({
      description: 'Earned: the agent of this daemon that was called. Spent: the agent that was paid.',
    }),
    skill: Type.Union([Type.String(), Type.Null()]),
    counterparty: Type.Union([Type.String(), Type.Null()], {
      description: "The other side's public key or address, as far as it is known.",
    }),
    amount_lamports: Lamports,
    network: Type.String(),
    real: Type.Boolean({ description: 'False on the local network: not real money.' }),
    nonce: Type.Union([Type.String(), Type.Null()]),
    signature: Type.Union([Type.String(), Type.Null()], { description: 'Of the transaction.' }),
    api_key_last4: Type.Union([Type.String(), Type.Null()]),
    reason: Type.Union([Type.String(), Type.Null()]),
    latency_ms: Type.Union([Type.Integer(), Type.Null()]),
    created_at: Type.Integer(),
    updated_at: Type.Integer(),
  },
  { $id: 'LedgerEntry' },
);
export type LedgerEntry = Static<typeof LedgerEntry>;

export const LedgerQuery = Type.Object(
  {
    side: Type.Optional(oneOf(LEDGER_SIDES)),
    state: Type.Optional(oneOf(PAYMENT_STATES)),
    mode: Type.Optional(oneOf(CALL_MODES)),
    agent: Type.Optional(Type.String({ maxLength: 128 })),
    q: Type.Optional(Type.String({ maxLength: 200 })),
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'Epoch seconds.' })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type LedgerQuery = Static<typeof LedgerQuery>;

/** Amounts that may be spent without approval; 0 requires approval for every payment. */
export const Caps = Type.Object({ per_call_lamports: Lamports, per_day_lamports: Lamports }, { $id: 'Caps' });
export type Caps = Static<typeof Caps>;
export const CapsPatch = Type.Partial(Type.Object({ per_call_lamports: Lamports, per_day_lamports: Lamports }), {
  additionalProperties: false,
});
export type CapsPatch = Static<typeof CapsPatch>;

export const Wallet = Type.Object(
  {
    name: Type.String(),
    address: Type.String(),
    network: Type.String(),
    real: Type.Boolean(),
    lamports: Type.Union([Lamports, Type.Null()], { description: 'Null when the network cannot be reached.' }),
    project: Type.Optional(Type.String({ description: 'The project that the local network belongs to, for another.' })),
  },
  { $id: 'Wallet' },
);
export type Wallet = Static<typeof Wallet>;
export const WalletsQuery = Type.Object(
  {
    neighbours: Type.Optional(
      Type.Boolean({ description: 'Also on the local networks of your other running projects.' }),
    ),
  },
  { additionalProperties: false },
);
export type WalletsQuery = Static<typeof WalletsQuery>;
export const WalletList = Type.Object(
  { wallets: Type.Array(Type.Ref('Wallet')), count: Type.Integer() },
  { $id: 'WalletList' },
);
export type WalletList = { wallets: Wallet[]; count: number };
export const WALLET_NAME_PATTERN = '^[a-z][a-z0-9-]{0,31}$';
/** The wallet that pays and receives unless another is named. */
export const WALLET_DEFAULT = 'main';
export const WalletBody = Type.Object(
  { name: Type.String({ pattern: WALLET_NAME_PATTERN }) },
  { additionalProperties: false },
);
export type WalletBody = Static<typeof WalletBody>;
export const FundBody = Type.Object(
  { lamports: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 }) },
  { additionalProperties: false },
);
export type FundBody = Static<typeof FundBody>;
/** A network by name; the local one of another daemon by its genesis. */
const AnyNetwork = Type.Unsafe<NetworkName>(
  Type.String({
    pattern: '^solana:(?:local(?:-[0-9a-f]{8})?|devnet|mainnet)$',
    description: `${NETWORKS.join(', ')}, or \`solana:local-<8 hex>\` of another running project of the same user.`,
  }),
);
export const TransferBody = Type.Object(
  {
    to: Type.String({ minLength: 32, maxLength: 44 }),
    lamports: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    memo: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    network: Type.Optional(AnyNetwork),
  },
  { additionalProperties: false },
);
export type TransferBody = Static<typeof TransferBody>;
export const TransferDone = Type.Object(
  { signature: Type.String(), wallet: Type.Ref('Wallet') },
  { $id: 'TransferDone' },
);
export type TransferDone = { signature: string; wallet: Wallet };

/**
 * A call to an agent that may cost something. `mode` `auto` uses the first that is possible: free, a prepaid balance,
 * post-pay, x402, or a new deposit with an agent that takes only those.
 */
export const CallBody = Type.Object(
  {
    agent: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'An agent id, `<project>/<member>` of a running project of yours, or the address of an agent or its card.',
    }),
    skill: Type.String({ minLength: 1, maxLength: 64 }),
    input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    mode: Type.Optional(oneOf(['auto', ...CALL_MODES] as const)),
    max_lamports: Type.Optional(Lamports),
    topup_lamports: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'With `deposit`: what to put in when the balance is too small.',
      }),
    ),
    report: Type.Optional(
      Type.Boolean({
        description: 'Whether a signed report is filed afterwards; default true for a registered agent.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CallBody = Static<typeof CallBody>;
export const CALL_STATES = ['running', 'waiting', 'done', 'failed'] as const;
export type CallState = (typeof CALL_STATES)[number];
/** Maximum size in bytes of an agent's response. */
export const CALL_ANSWER_LIMIT = 1024 * 1024;
/** Timeout of one request to an agent: longer than a hosted skill may run. */
export const SKILL_CALL_SECONDS = 130;
/** Maximum number of concurrent calls. */
export const CALLS_AT_ONCE = 32;
/** How long a call over the caps waits for the operator's approval. */
export const APPROVAL_SECONDS = 24 * 60 * 60;
/** How long `POST /calls` holds its response for a call that has not ended. */
export const CALL_HELD_SECONDS = 30;
/** How long the record of an ended call is kept. Its ledger entry is kept for good. */
export const CALL_RETENTION_DAYS = 30;

/**
 * Why a call failed. Lamports may have left the wallet with the codes from `payment_refused` on, with any code when the
 * call has a signature, and when it was topped up for. `debt_above_card` never ends a call: it is the reason of a debt
 * that the agent reports as higher than its card allows. No more than the card allows is paid.
 */
export const CALL_ERROR_CODES = [
  'agent_not_found',
  'bad_card',
  'skill_not_found',
  'unreachable',
  'refused_by_agent',
  'agent_failed',
  'bad_answer',
  'bad_challenge',
  'unknown_network',
  'price_above_card',
  'wrong_wallet',
  'challenge_expired',
  'challenge_replayed',
  'budget_exceeded',
  'no_free_call',
  'no_deposit',
  'no_credit',
  'denied',
  'approval_expired',
  'insufficient_funds',
  'network_unavailable',
  'interrupted',
  'payment_refused',
  'not_delivered',
  'debt_above_card',
] as const;
export type CallErrorCode = (typeof CALL_ERROR_CODES)[number];
export const Call = Type.Object(
  {
    call_id: Type.String({ description: '`call-` and 16 characters.' }),
    state: oneOf(CALL_STATES),
    agent: Type.String(),
    agent_url: Type.Union([Type.String(), Type.Null()]),
    skill: Type.String(),
    mode: Type.Union([oneOf(CALL_MODES), Type.Null()]),
    amount_lamports: Type.Union([Lamports, Type.Null()], { description: 'What it costs, once that is known.' }),
    network: Type.Union([Type.String(), Type.Null()]),
    real: Type.Boolean(),
    payment_id: Type.Union([Type.String(), Type.Null()], { description: 'Its entry in the ledger.' }),
    signature: Type.Union([Type.String(), Type.Null()]),
    latency_ms: Type.Union([Type.Integer(), Type.Null()]),
    result: Type.Optional(Type.Unknown()),
    reputation_filed: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    reason: Type.Optional(Type.String({ description: 'With `waiting`: which cap it is over.' })),
    created_at: Type.Integer(),
    finished_at: Type.Union([Type.Integer(), Type.Null()]),
  },
  { $id: 'Call' },
);
export type Call = Static<typeof Call>;
/** A page of calls, newest first, without their results. */
export const CallList = Type.Object(
  { calls: Type.Array(Type.Ref('Call')), count: Type.Integer(), next_cursor: Type.Union([Type.String(), Type.Null()]) },
  { $id: 'CallList' },
);
export type CallList = { calls: Call[]; count: number; next_cursor: string | null };
export const CallsQuery = Type.Object(
  {
    state: Type.Optional(oneOf(CALL_STATES)),
    agent: Type.Optional(Type.String({ maxLength: 2048 })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type CallsQuery = Static<typeof CallsQuery>;

/**
 * Pays the debt of post-paid calls: all of it, or the debt to one agent. It needs no approval, because the debt was
 * approved with the call.
 */
export const SettleBody = Type.Object(
  { agent: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })) },
  { additionalProperties: false },
);
export type SettleBody = Static<typeof SettleBody>;
export const Settled = Type.Object(
  {
    settled: Type.Array(Type.Ref('LedgerEntry')),
    paid_lamports: Lamports,
    failed: Type.Array(
      Type.Object({
        id: Type.String(),
        message: Type.String(),
        is_away: Type.Optional(
          Type.Boolean({ description: 'True when the project that has its network does not run: it stays owed.' }),
        ),
      }),
    ),
  },
  { $id: 'Settled' },
);
export type Settled = {
  settled: LedgerEntry[];
  paid_lamports: number;
  failed: { id: string; message: string; is_away?: boolean }[];
};
export const CallQuery = Type.Object(
  { wait: Type.Optional(Type.Integer({ minimum: 0, maximum: 60 })) },
  { additionalProperties: false },
);
export type CallQuery = Static<typeof CallQuery>;

/** A payment over the caps. It waits for the operator's approval for a day. */
export const Approval = Type.Object(
  {
    call_id: Type.String(),
    agent: Type.String(),
    skill: Type.String(),
    amount_lamports: Lamports,
    network: Type.String(),
    real: Type.Boolean(),
    address: Type.String(),
    reason: Type.String(),
    created_at: Type.Integer(),
    expires_at: Type.Integer(),
  },
  { $id: 'Approval' },
);
export type Approval = Static<typeof Approval>;
export const ApprovalBody = Type.Object(
  { decision: oneOf(['allow', 'deny'] as const) },
  { additionalProperties: false },
);
export type ApprovalBody = Static<typeof ApprovalBody>;
export const ApprovalList = Type.Object(
  { approvals: Type.Array(Type.Ref('Approval')), count: Type.Integer() },
  { $id: 'ApprovalList' },
);
export type ApprovalList = { approvals: Approval[]; count: number };

/** What an agent of this daemon holds for its callers. The sum of its journal always equals `balances - owed`. */
export const AgentEarnings = Type.Object(
  {
    agent: Type.String(),
    network: Type.String(),
    address: Type.String(),
    earned_lamports: Lamports,
    balances_lamports: Type.Integer({ description: 'Deposited and not used yet.' }),
    owed_lamports: Type.Integer({ description: 'Post-paid calls that are not paid yet.' }),
    keys: Type.Integer({ description: 'Deposit keys with a balance.' }),
  },
  { $id: 'Till' },
);
export type AgentEarnings = Static<typeof AgentEarnings>;

export const LedgerSum = Type.Object(
  {
    side: oneOf(LEDGER_SIDES),
    network: Type.String(),
    real: Type.Boolean({ description: 'False on a local network: not real money.' }),
    paid_lamports: Type.Integer({
      description: 'What moved over the network, without fees. Spent: out of the wallets. Earned: in from callers.',
    }),
    refunded_lamports: Type.Integer({
      description: 'Of it, the price of calls that failed after their proof, given back as a balance so far.',
    }),
    balance_lamports: Type.Integer({
      description: 'Balances not used yet. Spent: with other agents, as they last reported. Earned: of callers.',
    }),
    owed_lamports: Type.Integer({ description: 'Calls on credit that are not paid yet.' }),
    net_lamports: Type.Integer({
      description: '`paid - balance + owed`. Spent: what the calls cost. Earned: what the agents earned.',
    }),
  },
  {
    $id: 'LedgerSum',
    description:
      'One side of the ledger on one network. Of the calls between two daemons, the payer’s spent side and the ' +
      'seller’s earned side have the same five figures.',
  },
);
export type LedgerSum = Static<typeof LedgerSum>;

export const Ledger = Type.Object(
  {
    entries: Type.Array(Type.Ref('LedgerEntry')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    caps: Type.Ref('Caps'),
    spent_today_lamports: Lamports,
    earned_lamports: Lamports,
    spent_lamports: Lamports,
    sums: Type.Array(Type.Ref('LedgerSum'), { description: 'Each side by network, whatever the filter of the page.' }),
    tills: Type.Array(Type.Ref('Till')),
    deposits: Type.Array(
      Type.Object({ agent: Type.String(), network: Type.String(), lamports: Lamports, api_key_last4: Type.String() }),
      {
        description: 'Deposits of this daemon with other agents, as they last reported.',
      },
    ),
  },
  { $id: 'Ledger' },
);
export type Ledger = {
  entries: LedgerEntry[];
  count: number;
  next_cursor: string | null;
  caps: Caps;
  spent_today_lamports: number;
  earned_lamports: number;
  spent_lamports: number;
  sums: LedgerSum[];
  tills: AgentEarnings[];
  deposits: { agent: string; network: string; lamports: number; api_key_last4: string }[];
};
