import type { NetworkName } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { isAddress, requireAddress, requireSignature } from './addresses.js';
import type { Chain, ChainTransaction, SeenTransaction, SignedTransfer, WalletKey } from './chain.js';
import { RPC } from './json-rpc.js';
import { memoOfLine } from './memo-line.js';
import { type RpcEndpoint, RpcEndpointError } from './rpc-endpoint.js';
import { toCaip2 } from './solana-programs.js';
import type { Lifetime } from './solana-wire.js';
import { isTransactionAnswer, readTransaction } from './transaction-answer.js';

const COMMITMENT = { commitment: 'confirmed' } as const;
const LISTED = 1000;

/**
 * Timing of `send`: the timeout, the poll interval, the resend interval, and when a blockhash counts as expired: it is
 * reported invalid for `goneMs`, beginning `youngMs` after the transfer was sent at the earliest. A server counts as
 * healthy up to 150 slots, a minute, behind the others, so until then it may only not have seen the blockhash yet.
 */
const CONFIRMING = { totalMs: 150_000, lookMs: 1000, resendMs: 5000, youngMs: 120_000, goneMs: 20_000 } as const;

/** Codes with which a server says that it did not look at the transaction. */
const NOT_TRIED: ReadonlySet<number> = new Set([
  RPC.parse,
  RPC.invalidRequest,
  RPC.methodNotFound,
  RPC.invalidParams,
  RPC.signature,
]);

/** Whether a server has certainly not passed a transaction on. Timeouts and internal errors of gateways leave it open. */
function isNotPassedOn({ code, data }: RpcEndpointError): boolean {
  if (code !== RPC.preflight) return NOT_TRIED.has(code);
  const { err } = (data ?? {}) as { err?: unknown };
  return err !== undefined && err !== null && err !== 'AlreadyProcessed' && err !== 'BlockhashNotFound';
}

/** The position of the recipient among the accounts of a transfer. */
const RECIPIENT = 1;

/** Whether a transfer was refused because its recipient would hold less than an account of the network must hold. */
function isRecipientBelowRent({ data }: RpcEndpointError): boolean {
  const { err } = (data ?? {}) as { err?: { InsufficientFundsForRent?: { account_index?: unknown } } | null };
  return Number(err?.InsufficientFundsForRent?.account_index) === RECIPIENT;
}

/** A public network behind a JSON-RPC server. */
export class RpcChain implements Chain {
  readonly caip2: string;
  readonly real: boolean;

  constructor(
    readonly network: NetworkName,
    private readonly endpoint: RpcEndpoint,
    private readonly clock: Clock,
    private readonly confirming: typeof CONFIRMING | Record<keyof typeof CONFIRMING, number> = CONFIRMING,
  ) {
    this.caip2 = toCaip2(network);
    this.real = network === 'solana:mainnet';
  }

  async getBalance(address: string): Promise<bigint> {
    const value = valueIn(await this.read('getBalance', [requireAddress(address), COMMITMENT]));
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value as number);
    throw this.unreadable();
  }

  async find(signature: string): Promise<ChainTransaction | undefined> {
    const options = { ...COMMITMENT, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const answer = await this.endpoint
      .read('getTransaction', [requireSignature(signature), options])
      .catch((error: unknown) => {
        const isNewer = error instanceof RpcEndpointError && error.code === RPC.version;
        throw isNewer
          ? new MeshError(
              'proof_format',
              'The transaction is of a version that is not read: pay with one of version 0 or a legacy one.',
            )
          : this.toError(error);
      });
    if (answer === null) return undefined;
    if (!isTransactionAnswer(answer)) throw this.unreadable();
    return readTransaction(signature, answer);
  }

  async listTransactions(
    address: string,
    until?: string,
    before?: string,
    minSlot?: number,
  ): Promise<readonly SeenTransaction[]> {
    const options = { ...COMMITMENT, limit: LISTED, until, before, minContextSlot: minSlot };
    const rows = await this.read('getSignaturesForAddress', [requireAddress(address), options]);
    if (!Array.isArray(rows)) throw this.unreadable();
    return rows.map((row: Partial<Record<'signature' | 'slot' | 'err' | 'memo', unknown>> | null) => {
      const { signature, slot, err, memo } = row ?? {};
      if (typeof signature !== 'string' || !Number.isSafeInteger(slot)) throw this.unreadable();
      return { signature, slot: slot as number, failed: err !== null && err !== undefined, memo: memoOfLine(memo) };
    });
  }

  async sign(from: WalletKey, to: string, lamports: bigint, memo?: string): Promise<SignedTransfer> {
    const latest = valueIn(await this.read('getLatestBlockhash', [COMMITMENT])) as Partial<
      Record<keyof Lifetime, unknown>
    > | null;
    const { blockhash, lastValidBlockHeight } = latest ?? {};
    if (!isAddress(blockhash) || !Number.isSafeInteger(lastValidBlockHeight)) throw this.unreadable();
    const lifetime = { blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight as number) };
    const { signTransfer } = await import('./solana-wire.js');
    return signTransfer(from, requireAddress(to), lamports, memo, lifetime);
  }

  async send({ signature, wire }: SignedTransfer): Promise<void> {
    if (await this.isConfirmed(signature)) return;
    const { readWire } = await import('./solana-wire.js');
    const { recentBlockhash } = readWire(Buffer.from(wire, 'base64'));
    const startedAt = this.clock.elapsed();
    const until = startedAt + this.confirming.totalMs;
    let sentAt = Number.NEGATIVE_INFINITY;
    let isPassedOn = false;
    let goneSince = Number.POSITIVE_INFINITY;
    while (this.clock.elapsed() < until) {
      const now = this.clock.elapsed();
      if (now - sentAt >= this.confirming.resendMs) {
        const refusal = await this.submit(wire);
        if (refusal && !isPassedOn) throw refusal;
        // A server that lags behind may refuse what another one has taken: the status decides.
        isPassedOn ||= refusal === undefined;
        sentAt = now;
      }
      await new Promise<void>((resolve) => void this.clock.after(this.confirming.lookMs, resolve));
      if (await this.isConfirmed(signature)) return;
      const isGood = valueIn(await this.read('isBlockhashValid', [recentBlockhash, COMMITMENT]));
      // A server that lags behind reports a fresh blockhash as invalid too, so only one that stays invalid counts as
      // expired.
      const isFresh = isGood === true || this.clock.elapsed() - startedAt < this.confirming.youngMs;
      goneSince = isFresh ? Number.POSITIVE_INFINITY : Math.min(goneSince, this.clock.elapsed());
      const isGone = this.clock.elapsed() - goneSince >= this.confirming.goneMs;
      if (isGone && !(await this.isConfirmed(signature))) {
        throw new MeshError('bad_request', 'The transfer was not confirmed while its blockhash stood: sign it anew.', {
          details: { reason: 'expired' },
        });
      }
    }
    throw new MeshError(
      'deadline',
      `${this.network} has not confirmed the transfer ${signature} yet; it may still do so. Send the same one again.`,
    );
  }

  /** Submits a transaction. Returns why a server has not passed it on; undefined when it has, or may have. */
  private async submit(wire: string): Promise<MeshError | undefined> {
    try {
      await this.endpoint.send('sendTransaction', [
        wire,
        { encoding: 'base64', preflightCommitment: COMMITMENT.commitment },
      ]);
      return undefined;
    } catch (error) {
      if (!(error instanceof RpcEndpointError)) throw error;
      if (!isNotPassedOn(error)) return undefined;
      const isBelowRent = isRecipientBelowRent(error);
      const why = isBelowRent
        ? 'its recipient would hold less than the 890,880 lamports of a wallet: its owner must fill it first.'
        : error.message;
      return new MeshError('bad_request', `${this.network} refused the transfer: ${why}`, {
        details: { reason: 'refused', ...(isBelowRent ? { isRecipientBelowRent: true } : {}) },
        cause: error,
      });
    }
  }

  /** Throws `bad_request` when the transaction is confirmed as failed. */
  private async isConfirmed(signature: string): Promise<boolean> {
    const statuses = valueIn(
      await this.read('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]),
    );
    const [status] = (Array.isArray(statuses) ? statuses : []) as (
      | { err?: unknown; confirmationStatus?: unknown }
      | null
      | undefined
    )[];
    if (status === undefined) throw this.unreadable();
    if (status === null || (status.confirmationStatus !== 'confirmed' && status.confirmationStatus !== 'finalized'))
      return false;
    if (status.err === null || status.err === undefined) return true;
    throw new MeshError('bad_request', `The transaction failed: ${JSON.stringify(status.err, toText)}.`, {
      details: { reason: 'failed' },
    });
  }

  private async read(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.endpoint.read(method, params).catch((error: unknown) => {
      throw this.toError(error);
    });
  }

  private toError(error: unknown): unknown {
    if (!(error instanceof RpcEndpointError)) return error;
    return new MeshError('network_unavailable', `${this.network} does not answer what it was asked: ${error.message}`, {
      cause: error,
    });
  }

  private unreadable(): MeshError {
    return new MeshError('network_unavailable', `${this.network} answers something that cannot be read.`);
  }
}

/** Returns the value of a response that has a context. */
const valueIn = (answer: unknown): unknown => (answer as { value?: unknown } | null)?.value;

const toText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
