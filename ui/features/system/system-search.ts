import type { LOG_AREAS, LogArea } from '../../../daemon/contract/system.js';

export const SYSTEM_PARTS = ['settings', 'health', 'security', 'log', 'about'] as const;
export type SystemPart = (typeof SYSTEM_PARTS)[number];

const LOG_FROM = ['info', 'warn', 'error'] as const;
type LogFrom = (typeof LOG_FROM)[number];
const areas = [
  'daemon',
  'http',
  'team',
  'conversations',
  'agents',
  'clusters',
  'payments',
  'projects',
] as const satisfies typeof LOG_AREAS;
const LOG_SINCE = ['hour', 'day', 'week'] as const;
type LogSince = (typeof LOG_SINCE)[number];

/** The query parameters of the log. */
export interface LogSearch {
  /** The lowest level of the log that is shown. */
  log?: LogFrom | undefined;
  area?: LogArea | undefined;
  q?: string | undefined;
  since?: LogSince | undefined;
}

/** Query parameters as the address has them. `readLogSearch` parses them. */
export type SystemSearch = { [name in keyof LogSearch]?: string | undefined };

export const LOG_AREAS_SHOWN: readonly LogArea[] = areas;

/** Parses the query parameters. An invalid one is ignored. */
export const readLogSearch = (search: Record<string, unknown>): LogSearch => ({
  log: LOG_FROM.find((level) => level === search['log']),
  area: areas.find((area) => area === search['area']),
  q: search['q'] === undefined || search['q'] === '' ? undefined : String(search['q']),
  since: LOG_SINCE.find((since) => since === search['since']),
});

/** Returns the part that an address names. An address of earlier versions names none: `?log=` was the log. */
export const findPart = (part: string | undefined, { log }: LogSearch): SystemPart | undefined =>
  part === undefined ? (log === undefined ? 'settings' : 'log') : SYSTEM_PARTS.find((known) => known === part);
