export const paymentsKeys = {
  /** Entries of the ledger, under whatever filters, with where the money stands. */
  ledger: ['ledger'] as const,
  wallets: ['wallets'] as const,
  calls: ['calls'] as const,
  call: (id: string) => ['calls', id] as const,
  approvals: ['approvals'] as const,
};
