import { type CallErrorCode, LOCAL_NETWORK } from '../../contract/payments.js';
import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import type { Chain } from '../chains/chain.js';
import { CallError } from './call-failure.js';
import { type PayingParts, pause, StoppedError } from './paying-ports.js';
import type { SpentRow } from './spent-store.js';

/** A signed transfer that no network has seen after this time can never execute, because its blockhash has expired. */
const DEAD_AFTER_MS = 3 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** The transfer did not execute and never will: nothing is paid, and another one may be signed. `code` says why. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';

  constructor(
    readonly row: SpentRow,
    message: string,
    readonly code: CallErrorCode = 'insufficient_funds',
  ) {
    super(message);
  }
}

/** Why a transfer was not carried out, as far as its network says. */
interface Problem {
  isRefusal: boolean;
  isExpired: boolean;
  isRecipientBelowRent: boolean;
  message: string;
}

/** Transfers lamports for rows of the journal, each at most once. */
export class Transfers {
  constructor(private readonly parts: Pick<PayingParts, 'chains' | 'wallet' | 'journal' | 'clock'>) {}

  /**
   * Signs the transfer for `row`, records it, sends it, and resolves when the network has finalized it. Throws what
   * `finish` throws.
   */
  async make(row: SpentRow, memo: string, signal: AbortSignal, apiKeyLast4: string | null = null): Promise<SpentRow> {
    const { chains, wallet, journal } = this.parts;
    const chain = await chains.get(row.network);
    const signed = await chain.sign(await wallet(), row.address as string, BigInt(row.amount_lamports), memo);
    if (signal.aborted) throw new StoppedError('Stopped.');
    const written = await journal.signed(row, signed, apiKeyLast4);
    return this.carry(written, chain, true, signal);
  }

  /**
   * Completes a recorded transfer. The same transfer is sent again, never another one. Throws NotSentError when it is
   * certain that it will never execute, `network_unavailable` when its outcome is still unknown at the deadline, and
   * Stopped when `signal` fired.
   */
  async finish(row: SpentRow, signal: AbortSignal): Promise<SpentRow> {
    if (row.wire === null) return row;
    return this.carry(row, await this.parts.chains.get(row.network), false, signal);
  }

  private async carry(row: SpentRow, chain: Chain, isFresh: boolean, signal: AbortSignal): Promise<SpentRow> {
    const { clock, journal } = this.parts;
    const { signature, wire, signed_ms } = row as { signature: string; wire: string; signed_ms: number };
    const giveUpMs = signed_ms + 2 * DEAD_AFTER_MS;
    let isFirst = isFresh;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const problem = await this.sendOnce(chain, { signature, wire });
      if (problem === undefined) return journal.sent(row);
      if (problem.isRefusal) {
        // The network also refuses a transfer that it has already executed, so the transfer is looked up.
        const seen = await chain.find(signature).catch(() => 'unknown' as const);
        if (typeof seen === 'object') {
          if (!seen.failed) return journal.sent(row);
          throw new NotSentError(row, `The transfer failed on ${row.network}: nothing was moved.`);
        }
        // A refused transfer cannot execute later if it was never submitted before, if the network is the embedded one,
        // which decides immediately, or if its blockhash has expired.
        const isOutlived = problem.isExpired || clock.now() - signed_ms > DEAD_AFTER_MS;
        if (seen === undefined && (isFirst || chain.network === LOCAL_NETWORK || isOutlived))
          throw toNotSent(row, problem);
      }
      isFirst = false;
      if (signal.aborted) throw new StoppedError('Stopped.');
      if (clock.now() > giveUpMs) {
        throw new CallError(
          'network_unavailable',
          `Whether ${signature} was carried out on ${row.network} is not known: ${problem.message}`,
        );
      }
      await pause(clock, wait, signal);
    }
  }

  private async sendOnce(chain: Chain, transfer: { signature: string; wire: string }): Promise<Problem | undefined> {
    try {
      await chain.send(transfer);
      return undefined;
    } catch (error) {
      const isRefusal = isMeshError(error, 'bad_request');
      return {
        isRefusal,
        isExpired: isRefusal && error.details['reason'] === 'expired',
        isRecipientBelowRent: isRefusal && error.details['isRecipientBelowRent'] === true,
        message: getErrorMessage(error),
      };
    }
  }
}

function toNotSent(row: SpentRow, { isExpired, isRecipientBelowRent, message }: Problem): NotSentError {
  if (isExpired) {
    const words = `${row.network} did not confirm the transfer in time: it can be made anew.`;
    return new NotSentError(row, words, 'network_unavailable');
  }
  return new NotSentError(row, message, isRecipientBelowRent ? 'wrong_wallet' : 'insufficient_funds');
}
