/** The wire's epoch seconds as ISO 8601, which is what times are drawn from. */
export const isoOf = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();
