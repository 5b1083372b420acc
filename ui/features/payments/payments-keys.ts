export const paymentsKeys = {
  /** Ledger entries under any filters, with the totals. */
  ledger: ['ledger'] as const,
  wallets: ['wallets'] as const,
  calls: ['calls'] as const,
  call: (id: string) => ['calls', id] as const,
  approvals: ['approvals'] as const,
};
