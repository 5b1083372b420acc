import type { PayingParts } from '../../features/spending/paying-ports.js';

export type Exchange = PayingParts['exchange'];

/** All that is called at a neighbour: what programs may call of a hosted member, and the bureau. */
export const CALLED =
  /^\/team\/([a-z0-9][a-z0-9-]*)\/(?:v1\/|\.well-known\/agent\.json$)|^\/v1\/agents\/[^/]+\/feedback$/;
/**
 * Sends `request` without a token, and again with the member's when it is refused for want of one: a skill without a
 * price is for its bearers alone, and a refused request ran nothing.
 */
export async function sendAsOperator(
  exchange: Exchange,
  findToken: (member: string) => Promise<string | undefined>,
  ...[request, signal]: Parameters<Exchange['send']>
) {
  const answer = await exchange.send(request, signal);
  const [, member] = CALLED.exec(new URL(request.url).pathname) ?? [];
  if (answer.status !== 401 || member === undefined || request.method !== 'POST') return answer;
  const token = await findToken(member);
  if (token === undefined) return answer;
  return exchange.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }, signal);
}
