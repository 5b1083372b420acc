const LOG_FROM = ['info', 'warn', 'error'] as const;
export type LogFrom = (typeof LOG_FROM)[number];

/** System as it stands in the address. */
export interface SystemSearch {
  /** The lowest level of the log that is shown. */
  log?: LogFrom | undefined;
}

/** What the address says; a parameter that makes no sense is as if it were not there. */
export const readSystemSearch = (search: Record<string, unknown>): SystemSearch => ({
  log: LOG_FROM.find((level) => level === search['log']),
});
