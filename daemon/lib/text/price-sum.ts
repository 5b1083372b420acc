/** `free`, `$0.05`, `1,000 lamports`. Amounts of USD are cents. Spec: Pricing row. */
export function formatSum({ amount, currency }: { amount: number; currency: string }): string {
  if (currency.toLowerCase() === 'free' || amount === 0) return 'free';
  return currency.toUpperCase() === 'USD' ? `$${trimmed(amount / 100, 2)}` : `${trimmed(amount, 0)} ${currency}`;
}

function trimmed(amount: number, digits: number): string {
  return amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 9 });
}
