import { shellQuoted } from '../../../lib/shell-words.js';
import { formatAmount } from '../payment-format.js';

/** Returns what the challenge requests, in words. */
export const priceSentence = (lamports: number, address: string | undefined): string =>
  `pay ${formatAmount(lamports)} to ${address ?? 'this daemon’s wallet, made when it is first needed,'} with ` +
  'its nonce as memo within 10 minutes, then send the same call with the proof.';

const JSON_TYPE = "-H 'Content-Type: application/json'";

/** Returns the shell commands with which a program without an account calls a priced member. */
export function paidCallCommands(origin: string, member: string, isPerCall: boolean): string {
  const home = `${origin}/team/${encodeURIComponent(member)}`;
  const body = shellQuoted(JSON.stringify({ text: 'What does this project do?' }));
  const post = `curl -s -X POST ${shellQuoted(`${home}/v1/ask`)} ${JSON_TYPE}`;
  if (isPerCall) {
    return `ASKED=$(${post} -d ${body})
PROOF=$(meshd wallet pay "$(echo "$ASKED" | jq -r .chainPayUrl)" --json | jq -r .signature)
${post} \\
  -H "X-Payment-Proof: $PROOF" \\
  -H "X-Payment-Nonce: $(echo "$ASKED" | jq -r .nonce)" \\
  -d ${body}`;
  }
  return `TOPUP=$(curl -s -X POST ${shellQuoted(`${home}/v1/topup`)} ${JSON_TYPE} -d '{"amount_lamports": 100000}')
meshd wallet pay "$(echo "$TOPUP" | jq -r .chainPayUrl)"
${post} \\
  -H "X-Api-Key: $(echo "$TOPUP" | jq -r .api_key)" \\
  -d ${body}`;
}
