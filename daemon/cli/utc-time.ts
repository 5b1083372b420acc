const toIso = (at: string | number) => (typeof at === 'string' ? at : new Date(at * 1000).toISOString());

/** Formats a time of the wire, ISO 8601 in UTC or epoch seconds, as `2026-01-31 09:30:00`. */
export const utcTime = (at: string | number): string => toIso(at).slice(0, 19).replace('T', ' ');

/** The time of day of epoch seconds, as `09:30:00Z`, where no heading says that it is UTC. */
export const utcTimeOfDay = (at: number): string => `${toIso(at).slice(11, 19)}Z`;
