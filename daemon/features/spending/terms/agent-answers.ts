/**
 * What a payer reads of the answers and cards of agents, which need not be meshd's: the specification demands fewer
 * fields than this daemon sends, and each of them may name more than this side can pay. Spec: Payment declaration;
 * Skill call with payment.
 */
import { Type } from 'typebox';
import Value from 'typebox/value';
import { Challenge, PaymentDeclaration } from '../../../contract/payments.js';
import { readChainPayUrl } from '../../../lib/agents/chain-pay-url.js';

const { accepts, nonce } = Challenge.properties;
type PayableRow = Challenge['accepts'][number];

const StrangeChallenge = Type.Object({ x402Version: Type.Number(), accepts: Type.Array(Type.Unknown()), nonce });

/** The rows of a 402 response that can be paid, in lamports; undefined when it is no challenge. */
export function readChallenge(body: unknown): { rows: PayableRow[]; isEmpty: boolean } | undefined {
  if (!Value.Check(StrangeChallenge, body)) return undefined;
  const rows = body.accepts.filter((row): row is PayableRow => Value.Check(accepts.items, row));
  return { rows, isEmpty: body.accepts.length === 0 };
}

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const StrangeTopup = Type.Object({
  api_key: Type.String(),
  chainPayUrl: text,
  network: text,
  address: text,
  memo: text,
});

/** A deposit key with where it is paid. */
interface ReadTopup {
  key: string;
  memo: string | null;
  address: string;
  /** Null when the agent does not say it. */
  network: string | null;
}

/**
 * Reads the answer to `POST /v1/topup`; undefined when it opens no key that can be paid. What it does not say besides
 * is in its payment URL, and the memo is the key.
 */
export function readTopup(body: unknown): ReadTopup | undefined {
  if (!Value.Check(StrangeTopup, body)) return undefined;
  const { api_key: key, network = null } = body;
  const url = readChainPayUrl(body.chainPayUrl ?? '');
  const { memo = url?.memo ?? key, address = url?.address } = body;
  return address == null ? undefined : { key, memo, address, network };
}

/** The free tier is the agent's own business: its caller only sees that a call was free. */
const StrangeDeclaration = Type.Object(
  { ...PaymentDeclaration.properties, modes: Type.Array(Type.String()), free_tier: Type.Unknown() },
  { required: ['modes'], additionalProperties: true },
);

/** Reads the `payment` of a card, without the modes and the free tier that this side does not know. */
export function readDeclaration(declared: unknown): PaymentDeclaration | undefined {
  if (!Value.Check(StrangeDeclaration, declared)) return undefined;
  const { free_tier: _, modes, ...rest } = declared as Omit<PaymentDeclaration, 'modes'> & { modes: string[] };
  const isKnown = (mode: string): mode is PaymentDeclaration['modes'][number] => mode === 'x402' || mode === 'deposit';
  return { ...rest, modes: modes.filter(isKnown) };
}
