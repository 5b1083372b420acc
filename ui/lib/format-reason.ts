/** The daemon's reasons for what the operator stopped. Outside callers read them as they are; on the dashboard the operator is the reader. */
const BY_OPERATOR: ReadonlySet<string> = new Set(['Stopped by the operator.', 'Cancelled by the operator.']);

/** The daemon's reason for an ending, as the operator reads it. */
export const formatReason = (reason: string): string => (BY_OPERATOR.has(reason) ? 'You stopped this.' : reason);
