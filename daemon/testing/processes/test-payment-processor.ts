import { type Challenge, LOCAL_NETWORK, type PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import { Bus } from '../../events/bus.js';
import type { Chain, Chains, WalletKey } from '../../features/chains/chain.js';
import { KnownChains } from '../../features/chains/known-chains.js';
import type { PaidResult, PricedCall, SkillResult } from '../../features/payments/payment-port.js';
import { PaymentProcessor } from '../../features/payments/payment-processor.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { type ALocalNetwork, aLocalNetwork } from '../apps/a-local-network.js';

export const PRICE = 5000;

export interface TestPaymentProcessor extends ALocalNetwork {
  processor: PaymentProcessor;
  bus: Bus;
  chains: Chains;
  /** The provider's own wallet. */
  wallet: WalletKey;
  /** The wallet of the caller. */
  payer: WalletKey;
  reputations: Map<string, number>;
  /** Unexpected errors and warnings of the payment processor. */
  faults: unknown[];
  /** How often the default skill of `call` ran. */
  runs: number;
  /** Returns a call of the skill `paint` of `painter`, at 5,000 lamports, with the given payment of the caller. */
  priced(payer?: Partial<PricedCall['payer']>, more?: Partial<PricedCall>): PricedCall;
  /** Makes the call. The default skill responds with the number of its runs. */
  call(
    payer?: Partial<PricedCall['payer']>,
    more?: Partial<PricedCall>,
    run?: () => Promise<SkillResult>,
  ): Promise<PaidResult>;
  /** Makes a call that must be refused and returns the body of the 402 response. */
  refused(payer?: Partial<PricedCall['payer']>, more?: Partial<PricedCall>): Promise<Challenge>;
  /** Pays from the caller's wallet and returns the signature. */
  pay(to: string, lamports: number, memo?: string): Promise<string>;
  /** Pays a challenge with the amount, address and nonce that it states. */
  payFor(challenge: Challenge): Promise<{ proof: string; nonce: string }>;
  /** Returns a deposit key with a balance of `lamports`. */
  deposited(lamports: number): Promise<string>;
}

export const PAYMENT: PaymentDeclaration = { modes: ['x402', 'deposit'], network: LOCAL_NETWORK };
export const ROWS: PricingRow[] = [{ unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK }];
const SECRET = Buffer.alloc(32, 7);

/** Returns the challenge of a promise that must be rejected with a 402 error. */
export async function catchChallenge(refused: Promise<unknown>): Promise<Challenge> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MeshError) || !('accepts' in error.details)) throw error ?? new Error('It was not refused.');
  return { error: error.code, message: error.message, ...error.details } as Challenge;
}

const FUNDS = 10_000_000_000n;
/** Funds the wallet of a caller once, before its first payment: many tests pay nothing. */
const fundings = new WeakMap<WalletKey, () => Promise<unknown>>();

/**
 * Creates a payment processor over the embedded network in a temporary folder, with a fake clock. The network is closed
 * when the test ends.
 */
export async function createTestPaymentProcessor({
  local = aLocalNetwork(),
  others = [] as Chain[],
  start = true,
  wallet,
  payer,
}: {
  local?: ALocalNetwork;
  others?: Chain[];
  start?: boolean;
  wallet?: WalletKey;
  payer?: WalletKey;
} = {}): Promise<TestPaymentProcessor> {
  const [receiving, paying] = [wallet ?? (await local.aWallet()), payer ?? (await local.aWallet())];
  if (!payer) {
    let funded: Promise<unknown> | undefined;
    fundings.set(paying, () => (funded ??= local.network.fund(paying.address, FUNDS)));
  }
  return startPaymentProcessor(local, others, start, receiving, paying);
}

async function startPaymentProcessor(
  local: ALocalNetwork,
  others: Chain[],
  start: boolean,
  wallet: WalletKey,
  payer: WalletKey,
): Promise<TestPaymentProcessor> {
  const reputations = new Map<string, number>();
  const faults: unknown[] = [];
  const bus = new Bus(local.clock);
  const chains = new KnownChains(local.chain, others);
  const payments = new PaymentProcessor({
    database: local.database,
    chains,
    clock: local.clock,
    bus,
    secretKey: SECRET,
    mainAddress: async () => wallet.address,
    getCredit: (pubkey) => reputations.get(pubkey) ?? null,
    onFault: (error) => void faults.push(error),
    warn: (message) => void faults.push(message),
  });
  if (start) await payments.start();
  const parts = { ...local, processor: payments, bus, chains, wallet, payer, reputations, faults, runs: 0 };
  return withCalls(parts);
}

/** Adds the calls and payments of a caller to the parts of a test. */
function withCalls(
  parts: Omit<TestPaymentProcessor, 'priced' | 'call' | 'refused' | 'pay' | 'payFor' | 'deposited'>,
): TestPaymentProcessor {
  const { processor, chain, payer } = parts;
  const made: TestPaymentProcessor = {
    ...parts,
    priced: (offered = {}, more = {}) => ({
      agent: 'painter',
      skill: 'paint',
      prices: ROWS,
      payment: PAYMENT,
      requestSha256: sha256Hex('POST /team/painter/v1/paint {}'),
      payer: { address: '127.0.0.1', ...offered },
      ...more,
    }),
    call: (offered, more, run) =>
      processor.serve(
        made.priced(offered, more),
        run ??
          (async () => {
            made.runs += 1;
            return { status: 200, body: { run: made.runs } };
          }),
      ),
    refused: (offered, more) => catchChallenge(made.call(offered, more)),
    async pay(to, lamports, memo) {
      await fundings.get(payer)?.();
      const signed = await chain.sign(payer, to, BigInt(lamports), memo);
      await chain.send(signed);
      return signed.signature;
    },
    async payFor({ accepts, nonce }) {
      const [first] = accepts;
      if (!first) throw new Error('The challenge has nothing to pay.');
      return { proof: await made.pay(first.address, first.amount, nonce), nonce };
    },
    async deposited(lamports) {
      const { api_key, address } = await processor.topup('painter', PAYMENT, lamports);
      await made.pay(address, lamports, api_key as string);
      return api_key as string;
    },
  };
  return made;
}
