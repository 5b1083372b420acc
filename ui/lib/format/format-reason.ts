/**
 * The daemon's reasons for requests that the operator ended. External callers see them unchanged; on the dashboard the
 * reader is the operator.
 */
const BY_OPERATOR: ReadonlySet<string> = new Set(['Stopped by the operator.', 'Cancelled by the operator.']);

/** Rewords the daemon's reason for the operator as reader. */
export const formatReason = (reason: string): string => (BY_OPERATOR.has(reason) ? 'You stopped this.' : reason);
