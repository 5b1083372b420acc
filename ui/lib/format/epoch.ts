/** Converts epoch seconds, as the API sends them, to ISO 8601. */
export const toIsoTime = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();
