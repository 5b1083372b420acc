import {
  REFUSED_KEYS_PER_HOUR,
  REFUSED_ROWS_MAX,
  type RefusalReason,
  type RefusedList,
  type RefusedQuery,
  USAGE_OTHERS,
  USAGE_RETENTION_DAYS,
} from '../../contract/usage.js';
import type { AnyRequest } from '../../http/route-types.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { getCallerName } from '../../lib/text/caller-name.js';
import type { Clock } from '../../lib/time/clock.js';
import { parseQueryTime } from '../../lib/time/query-time.js';
import type { Transactions } from '../../storage/database/transaction.js';
import type { RefusedKey, RefusedRow, RefusedStore } from './refused-store.js';

export const HOUR_MS = 3_600_000;
const RETENTION_HOURS = USAGE_RETENTION_DAYS * 24;
/** Counters are held in memory for this long, so that a flood of refused calls writes a row once per key. */
const FLUSH_MS = 5_000;
const ROWS_DEFAULT = 50;
/** Where a caller may send a credential besides `Authorization`. */
const CREDENTIAL_HEADERS = ['authorization', 'x-cluster-token', 'x-api-key', 'mesh-sig'] as const;

/** A request that was refused, with the pattern of its route. */
interface RefusedRequest {
  request: Pick<AnyRequest, 'headers' | 'ip' | 'method' | 'params' | 'query'>;
  status: 401 | 402 | 429;
  /** Undefined for a path without a route. */
  route: string | undefined;
}

interface RefusedCallsParts {
  transactions: Transactions;
  store: RefusedStore;
  clock: Clock;
  /** Whether there is a member of this id. A name that is none is not kept: the caller chose it. */
  isMember: (id: string) => boolean;
}

/**
 * Counts calls of programs that were refused. Nothing that a caller chooses is kept but the name of its User-Agent, and
 * what it causes the store to hold is bounded: counters by key, few keys per hour, and a maximum of rows.
 */
export class RefusedCallCounter {
  private readonly buffer = new Map<string, RefusedRow>();
  /** The keys of `hour` that are counted separately. */
  private known = new Set<string>();
  private hour = Number.NaN;
  private cancelFlush: (() => void) | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RefusedCallsParts) {}

  /** Counts a refused call. Written to the store within a few seconds. */
  count(refused: RefusedRequest): void {
    const nowMs = this.parts.clock.now();
    const hour = Math.floor(nowMs / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.known = new Set(this.listStored(hour));
    }
    const key = this.toKnown(this.toKey(refused));
    const text = `${hour} ${toText(key)}`;
    const row = this.buffer.get(text);
    if (row) {
      row.count += 1;
      row.last_ms = nowMs;
    } else this.buffer.set(text, { hour, ...key, count: 1, first_ms: nowMs, last_ms: nowMs });
    // The timer belongs to no caller: what it writes is bounded as a whole, not by the caller who came first.
    this.cancelFlush ??= foreignCaller.exit(() => this.parts.clock.after(FLUSH_MS, () => void this.flush()));
  }

  /** Writes the counters to the store. Resolves when those that are being written already are there too. */
  flush(): Promise<void> {
    this.cancelFlush?.();
    this.cancelFlush = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Writes the counters. While the store cannot be written they stay in memory, as bounded as they are. */
  private async write(): Promise<void> {
    const rows = [...this.buffer.values()];
    if (rows.length === 0) return;
    this.buffer.clear();
    const { transactions, store } = this.parts;
    try {
      await transactions.run((transaction) => {
        for (const row of rows) store.add(transaction, row);
        this.prune(transaction);
      });
    } catch {
      // The store reports its failure itself. Older hours are given up, so that the buffer does not grow by the hour.
      for (const row of rows.filter(({ hour }) => hour === this.hour)) this.putBack(row);
    }
  }

  /** Lists refused calls. Throws `bad_request` for an invalid time. */
  async list({ reason, member, caller, since, limit = ROWS_DEFAULT }: RefusedQuery): Promise<RefusedList> {
    const nowMs = this.parts.clock.now();
    const sinceMs = parseQueryTime('since', since) ?? 0;
    const fromHour = Math.max(Math.floor(sinceMs / HOUR_MS), Math.floor(nowMs / HOUR_MS) - RETENTION_HOURS);
    await this.flush();
    const { refused, total } = this.parts.store.list({ reason, member, caller, fromHour }, limit);
    return { refused, count: refused.length, total };
  }

  /** A damaged store of an earlier version lacks the table; the answer to the caller must not depend on it. */
  private listStored(hour: number): string[] {
    try {
      return this.parts.store.listKeys(hour).map(toText);
    } catch {
      return [];
    }
  }

  private prune(transaction: Parameters<RefusedStore['prune']>[0]): void {
    this.parts.store.prune(transaction, this.hour - RETENTION_HOURS, REFUSED_ROWS_MAX);
  }

  private putBack(row: RefusedRow): void {
    const text = `${row.hour} ${toText(row)}`;
    const newer = this.buffer.get(text);
    if (newer) Object.assign(newer, { count: newer.count + row.count, first_ms: row.first_ms });
    else this.buffer.set(text, row);
  }

  /** Returns the key, or one of a few that sum up the rest when the hour has enough keys. */
  private toKnown(key: RefusedKey): RefusedKey {
    const text = toText(key);
    if (!this.known.has(text)) {
      if (this.known.size >= REFUSED_KEYS_PER_HOUR)
        return { reason: key.reason, member: '', caller: USAGE_OTHERS, address: '', route: '' };
      this.known.add(text);
    }
    return key;
  }

  private toKey({ request, status, route }: RefusedRequest): RefusedKey {
    const { id } = request.params as { id?: string };
    const isOfMember = route?.startsWith('/team/:id') === true && id !== undefined && this.parts.isMember(id);
    return {
      reason: getReason(request, status),
      member: isOfMember ? id : '',
      caller: getCallerName({ user_agent: request.headers['user-agent'] ?? null }),
      address: request.ip,
      route: route === undefined ? '' : `${request.method} ${route}`,
    };
  }
}

function getReason({ headers, query }: RefusedRequest['request'], status: number): RefusalReason {
  if (status === 402) return 'payment_required';
  if (status === 429) return 'too_many_requests';
  const { token } = (query ?? {}) as { token?: unknown };
  const hasCredential = token !== undefined || CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
  return hasCredential ? 'wrong_credential' : 'no_credential';
}

const toText = ({ reason, member, caller, address, route }: RefusedKey) =>
  JSON.stringify([reason, member, caller, address, route]);
