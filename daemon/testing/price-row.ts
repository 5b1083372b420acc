/** A price of `amount` lamports a request on the local network, with the keys of `more`. */
export const aPrice = (amount: number, more: object = {}) => ({
  unit: 'request',
  amount,
  currency: 'lamports',
  network: 'solana:local',
  ...more,
});
