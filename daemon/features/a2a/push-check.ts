import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { Resolve } from '../../http/outbound/outbound-call.js';
import { checkAddresses, isAddress, OutboundError, outboundTarget } from '../../http/outbound/outbound-policy.js';
import { unlessAborted } from '../../lib/async/unless-aborted.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { PushSecret } from './push-secrets.js';

const SECRET_CHARS = 4096;
const RESOLVE_MS = 3000;
const CONFIG_ID = /^[A-Za-z0-9._:-]{0,128}$/;
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Characters that can be sent in a header unchanged. */
const PRINTABLE = /^[\x20-\x7e]+$/;

export interface PushCheckParts {
  /** `host:port` of the loopback endpoints that may receive notifications. */
  loopback: () => ReadonlySet<string>;
  resolve: Resolve;
  clock: Clock;
}

/** A validated configuration. */
export interface CheckedPush {
  /** Empty when the caller leaves the choice to the agent. */
  id: string;
  url: string;
  secret: PushSecret | undefined;
}

const wrong = (name: string, message: string) => {
  const path = `pushNotificationConfig.${name}`;
  return new MeshError('bad_request', `"${path}" ${message}`, { details: { path } });
};

/**
 * Validates a configuration. Throws `bad_request` with `path` for an address that the outbound policy blocks, an
 * invalid id, and a secret that cannot be sent in a header.
 */
export async function checkedPush(
  { id, url, token, authentication }: TaskPushNotificationConfig,
  parts: PushCheckParts,
): Promise<CheckedPush> {
  if (!CONFIG_ID.test(id)) throw wrong('id', 'must be at most 128 letters, digits, ".", "_", ":" and "-".');
  await checkTarget(url, parts);
  const credentials = authentication?.credentials ?? '';
  for (const [name, secret] of [
    ['token', token],
    ['authentication.credentials', credentials],
  ] as const) {
    const fits = secret === '' || (secret.length <= SECRET_CHARS && PRINTABLE.test(secret));
    if (!fits) throw wrong(name, `must be at most ${SECRET_CHARS} printable characters.`);
  }
  const scheme = authentication?.scheme ?? '';
  if (scheme !== '' && !SCHEME.test(scheme))
    throw wrong('authentication.scheme', 'must be the name of an HTTP authentication scheme.');
  const secret: PushSecret = {
    ...(token === '' ? {} : { token }),
    ...(scheme === '' ? {} : { scheme, ...(credentials === '' ? {} : { credentials }) }),
  };
  return { id, url, secret: Object.keys(secret).length === 0 ? undefined : secret };
}

async function checkTarget(url: string, { loopback, resolve, clock }: PushCheckParts): Promise<void> {
  try {
    const target = outboundTarget(url, loopback());
    const late = new AbortController();
    const cancel = clock.after(RESOLVE_MS, () => late.abort());
    // A name that does not resolve yet may resolve later, so it is accepted. Each notification checks the
    // address again.
    const resolving = isAddress(target.host)
      ? [target.host]
      : unlessAborted(resolve(target.host), late.signal).catch(() => []);
    const addresses = await resolving;
    cancel();
    if (addresses.length > 0) checkAddresses(addresses, target);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw wrong(
      'url',
      `is not where notifications are sent to: they go to https: addresses of the public internet. ${error.message}`,
    );
  }
}
