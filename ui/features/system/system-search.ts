const LOG_FROM = ['info', 'warn', 'error'] as const;
export type LogFrom = (typeof LOG_FROM)[number];

/** The query parameters of the System page. */
export interface SystemSearch {
  /** The lowest level of the log that is shown. */
  log?: LogFrom | undefined;
}

/** Parses the query parameters. An invalid one is ignored. */
export const readSystemSearch = (search: Record<string, unknown>): SystemSearch => ({
  log: LOG_FROM.find((level) => level === search['log']),
});
