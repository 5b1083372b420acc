import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { REQUEST_RETENTION_DAYS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, every } from '../../lib/time/clock.js';
import type { Ask } from '../asks/ask-store.js';
import type { Asks } from '../asks/asks.js';
import { type CheckedPush, checkedPush, type PushCheckParts } from './push-check.js';
import type { PushConfigRow, PushConfigsStore } from './push-configs-store.js';
import type { PushDelivery } from './push-delivery.js';
import type { PushSecret, PushSecrets } from './push-secrets.js';

export type A2aVersion = '1.0' | '0.3';

/** Maximum number of configurations per task. */
const CONFIGS_MAX = 8;
const RETENTION_MS = REQUEST_RETENTION_DAYS * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface PushNotificationsParts extends PushCheckParts {
  asks: Pick<Asks, 'getOwn' | 'onChanged'>;
  store: PushConfigsStore;
  secrets: PushSecrets;
  delivery: PushDelivery;
  clock: Clock;
}

const createKey = ({ request_id, config_id }: Pick<PushConfigRow, 'request_id' | 'config_id'>) =>
  `${request_id}/${config_id}`;

/**
 * Push notifications about tasks. They go to addresses that holders of the member's token have configured, either on
 * the public internet or listed in the machine's configuration. They are sent in order and in the background.
 * Configurations survive a restart, after which pending notifications are sent. Secrets by which a receiver
 * authenticates the sender are stored with the credentials and returned only in the response to the call that set them.
 */
export class PushNotifications {
  private readonly stops: (() => void)[] = [];
  private cancelPruning = () => {};

  constructor(private readonly parts: PushNotificationsParts) {
    this.stops.push(parts.asks.onChanged(({ member, request_id }) => this.changed(member, request_id)));
  }

  /**
   * Sends notifications left pending by the previous run, and starts the periodic deletion of configurations whose task
   * has expired.
   */
  async start(): Promise<void> {
    this.cancelPruning = every(this.parts.clock, PRUNE_EVERY_MS, () => void this.prune());
    await this.prune();
    for (const row of this.parts.store.list()) this.sendStatus(row);
  }

  stop(): void {
    for (const stop of this.stops.splice(0)) stop();
    this.cancelPruning();
    this.parts.delivery.stop();
  }

  /**
   * Validates a configuration. Throws `bad_request` for an address that is not allowed and for values that cannot be
   * sent in a header.
   */
  checked(config: TaskPushNotificationConfig): Promise<CheckedPush> {
    return checkedPush(config, this.parts);
  }

  /**
   * Stores a configuration, replacing one with the same id, and sends the current status of the task. Throws
   * `bad_request` beyond eight configurations per task, `forbidden` for one with secrets while git tracks the
   * credentials folder.
   */
  async put(ask: Ask, { id, url, secret }: CheckedPush, version: A2aVersion): Promise<TaskPushNotificationConfig> {
    const { store, secrets, clock } = this.parts;
    const { request_id, member } = ask;
    const config_id = id === '' ? request_id : id;
    const known = store.listByRequest(request_id);
    if (known.length >= CONFIGS_MAX && !known.some((row) => row.config_id === config_id)) {
      throw new MeshError('bad_request', `A task takes at most ${CONFIGS_MAX} push notification configurations.`);
    }
    const row = { request_id, config_id, member, url, version, sent_status: null, created_ms: clock.now() };
    // Stored before the row, so that no notification is sent without its secret.
    if (secret) await secrets.put(createKey(row), secret);
    await store.put(row);
    const kept = store.find(request_id, config_id);
    if (kept) this.sendStatus(kept);
    return toConfig(row, secret);
  }

  /** A configuration without its secrets. An empty id refers to the one set without an id. Throws `not_found`. */
  get(requestId: string, id: string): TaskPushNotificationConfig {
    const row = this.parts.store.find(requestId, id === '' ? requestId : id);
    if (!row) throw new MeshError('not_found', 'This task has no such push notification configuration.');
    return toConfig(row);
  }

  list(requestId: string): TaskPushNotificationConfig[] {
    return this.parts.store.listByRequest(requestId).map((row) => toConfig(row));
  }

  /** Deletes a configuration. Idempotent. */
  async delete(requestId: string, id: string): Promise<void> {
    await this.parts.store.remove(requestId, id === '' ? requestId : id);
    await this.forgetSecrets();
  }

  /** Deletes the configurations of a member whose token was revoked. */
  async forgetMember(member: string): Promise<void> {
    await this.parts.store.removeOfMember(member);
    await this.forgetSecrets();
  }

  private changed(member: string, requestId: string): void {
    const rows = this.parts.store.listByRequest(requestId);
    if (rows.length === 0) return;
    const ask = this.parts.asks.getOwn(member, requestId);
    for (const row of rows) this.parts.delivery.add(row, ask);
  }

  /** Sends the current status of the task, unless it was the last one sent. */
  private sendStatus(row: PushConfigRow): void {
    const { asks, delivery } = this.parts;
    let ask: Ask;
    try {
      ask = asks.getOwn(row.member, row.request_id);
    } catch {
      // The task has already been deleted.
      return;
    }
    if (ask.status !== row.sent_status) delivery.add(row, ask);
  }

  private forgetSecrets(): Promise<void> {
    const kept = new Set(this.parts.store.list().map(createKey));
    return this.parts.secrets.keepOnly((key) => kept.has(key));
  }

  private async prune(): Promise<void> {
    const { store, clock } = this.parts;
    // The failure of an unwritable store is reported elsewhere.
    await store.removeBefore(clock.now() - RETENTION_MS).catch(() => undefined);
    if (store.list().length > 0) await this.forgetSecrets().catch(() => undefined);
  }
}

function toConfig(
  row: Pick<PushConfigRow, 'request_id' | 'config_id' | 'url'>,
  secret: PushSecret = {},
): TaskPushNotificationConfig {
  const { token = '', scheme, credentials = '' } = secret;
  return {
    tenant: '',
    id: row.config_id,
    taskId: row.request_id,
    url: row.url,
    token,
    authentication: scheme === undefined ? undefined : { scheme, credentials },
  };
}
