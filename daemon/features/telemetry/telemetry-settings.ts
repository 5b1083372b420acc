import Value from 'typebox/value';
import { TelemetrySettings } from '../../contract/telemetry.js';
import { OutboundError, outboundTarget } from '../../http/outbound/outbound-policy.js';
import { MeshError } from '../../lib/errors.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import type { JsonObject } from '../../storage/files/json-file.js';

/** A header is a secret of the server that it was entered for. */
type TelemetryHeader = NonNullable<TelemetrySettings['headers']>[number];

/** What the operator chose on this machine. A file of the repository has no part in it. */
export interface SavedTelemetry {
  address: string;
  content: boolean;
  headers: readonly TelemetryHeader[];
}

/** The settings file: empty while telemetry is off. */
export interface TelemetryFile {
  saved: SavedTelemetry | undefined;
}

/** Reads the settings file. Throws `store_readonly` when it is damaged; the message never quotes it. */
export function parseTelemetry(content: JsonObject | null): TelemetryFile {
  if (content === null || Object.keys(content).length === 0) return { saved: undefined };
  if (!Value.Check(TelemetrySettings, content))
    throw new MeshError('store_readonly', '.mesh/credentials/telemetry.json is damaged: mend it, or remove it.');
  const { address, content: isWithContent = false, headers = [] } = content as TelemetrySettings;
  return { saved: { address, content: isWithContent, headers } };
}

export const stringifyTelemetry = ({ saved }: TelemetryFile): JsonObject => ({ ...saved });

/** Headers that the request itself determines. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect'],
  ...['host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
const SIGNALS = /\/v1\/(traces|metrics|logs)$/;

const refused = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/** `host:port` of a loopback address, which the operator's choice lists for the outbound policy; else nothing. */
export function loopbackOf(address: string): ReadonlySet<string> {
  const { protocol, hostname, port } = new URL(address);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return new Set(isLoopback ? [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`] : []);
}

/**
 * Returns the address without a trailing slash and without the path of one signal, which collectors' manuals often
 * show. Throws `bad_request` for one that the outbound policy refuses, for one with a query, and for this daemon itself.
 */
function toAddress(typed: string, own: string): string {
  const quoted = `"${typed.trim()}"`;
  if (!URL.canParse(typed))
    throw refused('address', `${quoted} is not an address: give one such as http://127.0.0.1:4318.`);
  const url = new URL(typed);
  try {
    outboundTarget(url.href, loopbackOf(url.href));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const way = 'Give an https: address, or an http: one on this machine.';
    throw refused('address', url.username + url.password === '' ? `${quoted}: ${error.message} ${way}` : error.message);
  }
  if (url.search !== '' || url.hash !== '') throw refused('address', `${quoted} must have no query and no fragment.`);
  const ownPort = new URL(own).port;
  if (loopbackOf(url.href).size > 0 && url.port === ownPort)
    throw refused('address', `${quoted} is this daemon itself: give the address of a collector.`);
  return `${url.origin}${withoutTrailingSlashes(url.pathname).replace(SIGNALS, '')}`;
}

/**
 * Returns the settings to save. Without new headers, those of the same server are kept. Throws `bad_request` with
 * `path`; no message contains the value of a header.
 */
export function withTelemetry(
  before: SavedTelemetry | undefined,
  { address: typed, content = false, headers }: TelemetrySettings,
  own: string,
): SavedTelemetry {
  const address = toAddress(typed.trim(), own);
  const reserved = headers?.find(({ name }) => RESERVED.has(name.toLowerCase()));
  if (reserved) throw refused('headers', `The header "${reserved.name}" is set by the daemon itself.`);
  const isSame = before !== undefined && new URL(before.address).origin === new URL(address).origin;
  return { address, content, headers: headers ?? (isSame ? before.headers : []) };
}
