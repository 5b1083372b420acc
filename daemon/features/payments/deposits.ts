import { WAITING_DEPOSIT_KEYS_MAX } from '../../contract/limits.js';
import {
  DEPOSIT_MIN_LAMPORTS_DEFAULT,
  LOCAL_NETWORK,
  type PaymentDeclaration,
  type Topup,
} from '../../contract/payments.js';
import { chainPayUrl } from '../../lib/agents/chain-pay-url.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import { newDepositKey } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import { type IdempotencyKey, once } from '../../storage/database/idempotency.js';
import { limitForCaller } from './caller-limit.js';
import type { Incoming } from './ledger/incoming.js';
import { type Account, onWire, type PaymentJournal } from './ledger/payment-journal.js';

const DAY_MS = 86_400_000;
/** Deposit keys that never received money are deleted after this time. */
export const UNUSED_RETENTION_MS = 90 * DAY_MS;
const FORGOTTEN_ON_WRITE = 10;

interface DepositsParts {
  database: Database;
  journal: PaymentJournal;
  incoming: Incoming;
  clock: Clock;
  /** Returns the address at which an agent is paid. Throws `overloaded` when it cannot be determined. */
  resolveAddress: (payment: PaymentDeclaration) => Promise<string>;
}

/**
 * Deposit keys. A caller sends a lump sum with the key as memo, and calls are debited from it until it is used up.
 * Spec: Payment request states.
 */
export class Deposits {
  constructor(private readonly parts: DepositsParts) {}

  /** See PaymentPort. Stores only the digest of the key. Money that arrives with the key as memo is credited to it. */
  async topup(
    agent: string,
    payment: PaymentDeclaration,
    amountLamports: number,
    key?: IdempotencyKey,
  ): Promise<Topup> {
    const { clock, database, incoming, journal } = this.parts;
    if (payment.modes.length > 0 && !payment.modes.includes('deposit'))
      throw new MeshError('not_found', 'This agent takes no deposits: its card says how it is paid.');
    const min_lamports = payment.deposit?.min_lamports ?? DEPOSIT_MIN_LAMPORTS_DEFAULT;
    if (!Number.isSafeInteger(amountLamports) || amountLamports < min_lamports) {
      throw new MeshError('bad_request', `A deposit is at least ${min_lamports} lamports.`, {
        details: { path: 'amount_lamports' },
      });
    }
    const network = payment.network ?? LOCAL_NETWORK;
    const address = await this.parts.resolveAddress(payment);
    await incoming.watch(network, address);
    const nowMs = clock.now();
    let opened: string | undefined;
    const answer = await database.write(() =>
      once<Topup>(database, key, nowMs, () => {
        this.evictUnusedKeys(agent, nowMs);
        opened = newDepositKey();
        const memo = { text: opened, last4: opened.slice(-4), minLamports: min_lamports };
        journal.open({ network, address, kind: 'balance', agent, holder: sha256Hex(opened) }, nowMs, memo);
        return { api_key: null, chainPayUrl: null, network, address, memo: null, min_lamports };
      }),
    );
    if (opened === undefined) return answer;
    return {
      ...answer,
      api_key: opened,
      memo: opened,
      chainPayUrl: chainPayUrl({ address, lamports: BigInt(amountLamports), memo: opened }),
    };
  }

  /**
   * Deletes a few keys that never received money in time. Throws `too_many_requests` when the agent still has the
   * maximum number of unused keys.
   */
  private evictUnusedKeys(agent: string, nowMs: number): void {
    const { journal } = this.parts;
    const most = limitForCaller(WAITING_DEPOSIT_KEYS_MAX);
    journal.forgetUnused(nowMs - UNUSED_RETENTION_MS, FORGOTTEN_ON_WRITE);
    if (journal.countWaiting(agent, most) < most) return;
    // Money for a key usually arrives within minutes. At the limit, keys that are unused after one day are deleted.
    journal.forgetUnused(nowMs - DAY_MS, FORGOTTEN_ON_WRITE, agent);
    if (journal.countWaiting(agent, most) < most) return;
    throw new MeshError(
      'too_many_requests',
      `${most} deposit keys of this agent wait for their money: send it to one of yours, or open one tomorrow, ` +
        'when those that were not used are forgotten.',
      { details: { retry_after: DAY_MS / 1000 } },
    );
  }

  /** See PaymentPort. The balance includes what has arrived so far, provided that the network can be reached. */
  async balance(agent: string, apiKey: string): Promise<{ lamports: number }> {
    const { id } = await this.lookFor(this.getAccount(agent, apiKey));
    return { lamports: onWire(this.parts.journal.get(id).lamports) };
  }

  /** Returns the account of a deposit key. Throws `unauthorized` for a key that this agent did not issue. */
  getAccount(agent: string, apiKey: string): Account {
    const account = this.parts.journal.findByMemo(apiKey);
    if (account?.kind === 'balance' && account.agent === agent) return account;
    throw new MeshError('unauthorized', 'Send "X-Api-Key: tk_..." with a key that this agent has given at /v1/topup.');
  }

  /**
   * Records what has arrived at the account's address, then returns the account. If the network cannot be reached or is
   * not configured, the account stays as it is.
   */
  async lookFor(account: Account): Promise<Account> {
    const { incoming } = this.parts;
    try {
      await incoming.watch(account.network, account.address);
      await incoming.look(account.network, account.address);
    } catch (error) {
      if (!isMeshError(error, 'network_unavailable') && !isMeshError(error, 'bad_request')) throw error;
    }
    return this.parts.journal.get(account.id);
  }
}
