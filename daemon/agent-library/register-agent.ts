import { join } from 'node:path';
import { Mutex } from 'async-mutex';
import { SURFACES, type Surface } from '../contract/network/agents.js';
import { getErrorMessage, MeshError } from '../lib/errors.js';
import { withoutTrailingSlashes } from '../lib/text/trailing-slashes.js';
import { systemClock } from '../lib/time/clock.js';
import { SecretFile } from '../storage/files/secret-file.js';
import type { JsonObject, RegisterAgent, RegisterOptions, Registration } from './agent-types.js';
import { discoveryCard } from './discovery-card.js';

const HEARTBEAT_MS = 120_000;
const ANSWER_MS = 15_000;

interface Answer {
  status: number;
  body: JsonObject;
}

type Send = (method: string, path: string, body?: JsonObject, headers?: Record<string, string>) => Promise<Answer>;

const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });

/** Calls one surface. Throws when it cannot be reached or the response is not JSON. */
function sender(base: string): Send {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${withoutTrailingSlashes(base)}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
}

function refusal(what: string, { status, body }: Answer): MeshError {
  const message = typeof body['message'] === 'string' ? body['message'] : `status ${status}`;
  return new MeshError(
    status === 409 ? 'agent_id_claimed' : status === 401 ? 'unauthorized' : 'bad_request',
    `${what}: ${message}`,
  );
}

/** The registration on one surface, with the API key that it issued. Throws on every error response. */
class SurfaceRegistration {
  apiKey: string | undefined;
  /** The key is one that this run was issued. */
  isNew = false;

  constructor(
    readonly surface: Surface,
    private readonly send: Send,
    private readonly options: RegisterOptions,
  ) {}

  private get root(): string {
    return this.surface === 'hub' ? '/agents' : '/v1/agents';
  }

  /**
   * Reuses the registration unless the surface says that its key is not valid, or registers; binds the identity's key.
   */
  async open(): Promise<void> {
    if (this.apiKey !== undefined) await this.token().catch((error: unknown) => this.dropInvalidKey(error));
    if (this.apiKey === undefined) {
      const { agent_card, capabilities } = this.facts();
      const body = { agent_id: this.options.agentId, capabilities, agent_card };
      const registered = this.ok(
        `${this.surface} did not register the agent`,
        await this.send('POST', `${this.root}/register`, body),
      );
      this.apiKey = String(registered['api_key']);
      this.isNew = true;
    }
    if (this.surface === 'v1') await this.bindKey();
  }

  /** Fetches a fresh token, which counts as a sign of life, and sends the current card and capabilities. */
  async beat(): Promise<void> {
    const token = await this.token();
    this.ok(
      `${this.surface} did not take the heartbeat`,
      await this.send('PATCH', `${this.root}/me`, { ...this.facts() }, bearer(token)),
    );
  }

  async leave(): Promise<void> {
    if (this.apiKey === undefined) return;
    const body = { agent_id: this.options.agentId, api_key: this.apiKey };
    const opened = await this.send('POST', `${this.root}/token`, body);
    // The key is not valid any more: the registration was removed before.
    if (opened.status !== 401) {
      const token = this.ok(`${this.surface} gave no token`, opened)['token'];
      const answer = await this.send('DELETE', `${this.root}/me`, undefined, bearer(token));
      if (answer.status !== 404) this.ok(`${this.surface} did not deregister the agent`, answer);
    }
    this.apiKey = undefined;
  }

  /** Only a 401 ends a registration. A surface that is away still has it, and without the key its id is lost. */
  private dropInvalidKey(error: unknown): void {
    if (!isUnauthorized(error)) throw error;
    this.apiKey = undefined;
  }

  private async token(): Promise<unknown> {
    const answer = await this.send('POST', `${this.root}/token`, {
      agent_id: this.options.agentId,
      api_key: this.apiKey,
    });
    return this.ok(`${this.surface} gave no token`, answer)['token'];
  }

  private async bindKey(): Promise<void> {
    const { identity, base, hub } = this.options;
    const body = { pubkey: identity.pubkey };
    const { pathname } = new URL(`${withoutTrailingSlashes(base ?? hub)}/v1/agents/me/key`);
    const signature = identity.sign('PUT', pathname, JSON.stringify(body));
    const headers = { ...bearer(await this.token()), 'mesh-sig': signature };
    this.ok('The identity could not be bound', await this.send('PUT', '/v1/agents/me/key', body, headers));
  }

  private facts(): { agent_card: JsonObject; capabilities: string[] } {
    const { card, tags, category } = this.options;
    return discoveryCard(typeof card === 'function' ? card() : card, { tags: tags ?? [], category });
  }

  private ok(what: string, answer: Answer): JsonObject {
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw refusal(what, answer);
  }
}

/** The stored keys of registrations, one for each surface and id. Agents may share a folder. */
class SavedKeys {
  private static readonly saving = new Mutex();
  private readonly file: SecretFile | undefined;

  constructor(folder: string | undefined) {
    this.file = folder === undefined ? undefined : new SecretFile(join(folder, 'registrations.json'));
  }

  async load(registrations: readonly SurfaceRegistration[], agentId: string): Promise<void> {
    const found = (await this.file?.read()) ?? {};
    for (const registration of registrations) {
      const key = found[`${registration.surface} ${agentId}`];
      if (typeof key === 'string') registration.apiKey = key;
    }
  }

  async save(registrations: readonly SurfaceRegistration[], agentId: string): Promise<void> {
    const kept = Object.fromEntries(
      registrations.flatMap(({ surface, apiKey }) => (apiKey === undefined ? [] : [[`${surface} ${agentId}`, apiKey]])),
    );
    await SavedKeys.saving.runExclusive(async () => {
      const own = registrations.map(({ surface }) => `${surface} ${agentId}`);
      const found = Object.entries((await this.file?.read()) ?? {}).filter(([name]) => !own.includes(name));
      await this.file?.write({ ...Object.fromEntries(found), ...kept });
    });
  }
}

/**
 * Sends the heartbeat to each surface separately, so that an unreachable one does not affect the other. Returns the
 * errors.
 */
async function sendHeartbeats(registrations: readonly SurfaceRegistration[]): Promise<unknown[]> {
  const failed: unknown[] = [];
  for (const registration of registrations) {
    await registration.beat().catch(async (error: unknown) => {
      // An expired registration is made again, as long as the id is free; so is one whose last attempt failed.
      const isGone = registration.apiKey === undefined || isUnauthorized(error);
      await (isGone ? registration.open() : Promise.reject(error)).catch((again: unknown) => failed.push(again));
    });
  }
  return failed;
}

/**
 * See `RegisterAgent`. Throws `agent_id_claimed` when another program has the id. After any
 * error, what this call registered is taken back, and what an earlier run registered remains.
 */
export const registerAgent: RegisterAgent = async (options: RegisterOptions): Promise<Registration> => {
  const { hub, base, agentId, heartbeatMs = HEARTBEAT_MS, onProblem } = options;
  const registrations = SURFACES.map(
    (surface) => new SurfaceRegistration(surface, sender(surface === 'hub' ? hub : (base ?? hub)), options),
  );
  const keys = new SavedKeys(options.folder);
  await keys.load(registrations, agentId);
  const leave = async (those: readonly SurfaceRegistration[] = registrations) => {
    const left = await Promise.allSettled(those.map((registration) => registration.leave()));
    await keys.save(registrations, agentId);
    for (const one of left) if (one.status === 'rejected') throw one.reason;
  };
  try {
    for (const registration of registrations) await registration.open();
    await keys.save(registrations, agentId);
    for (const registration of registrations) await registration.beat();
  } catch (error) {
    await leave(registrations.filter(({ isNew }) => isNew)).catch(() => undefined);
    throw error;
  }

  let isClosed = false;
  let callOff: () => void = () => undefined;
  const mutex = new Mutex();
  const beat = async () => {
    const failed = await sendHeartbeats(registrations);
    await keys.save(registrations, agentId);
    if (failed.length > 0) throw failed[0];
  };
  const scheduleHeartbeat = () => {
    callOff = systemClock.after(heartbeatMs, () => {
      void mutex
        .runExclusive(beat)
        .catch((error: unknown) => onProblem?.(getErrorMessage(error)))
        .finally(() => {
          if (!isClosed) scheduleHeartbeat();
        });
    });
  };
  scheduleHeartbeat();

  let closing: Promise<void> | undefined;
  return {
    agent_id: agentId,
    beat: () =>
      isClosed ? Promise.reject(new MeshError('not_found', 'The registration is closed.')) : mutex.runExclusive(beat),
    close() {
      isClosed = true;
      callOff();
      closing ??= mutex.runExclusive(() => leave());
      return closing;
    },
  };
};

const isUnauthorized = (error: unknown) => error instanceof MeshError && error.code === 'unauthorized';
