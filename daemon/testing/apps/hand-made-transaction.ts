import type { WalletKey } from '../../features/chains/chain.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from '../../features/chains/solana-programs.js';
import { decodeBase58 } from '../../lib/crypto/base58.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';

const bytes = (text: string) => decodeBase58(text) ?? Buffer.alloc(0);

/**
 * Builds a wire transaction by hand: arbitrary instructions over the payer, the recipient and the programs, signed by
 * the payer. The accounts are the payer, the recipient, the System, the memo and the compute budget program.
 */
export function aHandMadeTransaction(
  from: WalletKey,
  to: string,
  blockhash: string,
  instructions: { program: number; accounts: number[]; data: Buffer }[],
) {
  const keys = [from.address, to, SYSTEM_PROGRAM, MEMO_PROGRAM, COMPUTE_BUDGET_PROGRAM].map(bytes);
  const message = Buffer.concat([
    Buffer.from([1, 0, 3, keys.length]),
    ...keys,
    bytes(blockhash),
    Buffer.from([instructions.length]),
    ...instructions.map(({ program, accounts, data }) =>
      Buffer.concat([Buffer.from([program, accounts.length, ...accounts, data.length]), data]),
    ),
  ]);
  return Buffer.concat([Buffer.from([1]), new SigningKey(from.seed).signBytes(message), message]);
}
