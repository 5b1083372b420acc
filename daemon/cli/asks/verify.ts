import { type Command, Option } from 'commander';
import type { SignedFields } from '../../client/receipt-differences.js';
import type { Receipt } from '../../contract/asks.js';
import { action, examples } from '../action.js';
import { readOwnKey } from '../agents/own-key.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readText } from '../standard-input.js';
import type { Terminal } from '../terminal.js';

/** The input of `verify`: a receipt, or the complete record of a request that contains it. */
interface VerifyInput {
  receipt: unknown;
  /** Present for a record. */
  record?: SignedFields;
}

/** Whose key made the signature: that of the project's daemon, the named key, or another one. */
type Signer = 'this daemon' | 'the key you named' | 'another key';

interface Verdict {
  valid: boolean;
  reasons: string[];
  pubkey: string | null;
}

/** The accepted keys: the project's own and the named one, or any. */
interface Expected {
  own: string | undefined;
  named?: string | undefined;
  isAnyTaken?: boolean | undefined;
}

export function readGiven(text: string): VerifyInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandError(
      EXIT.usage,
      'That is not JSON: give a receipt, or the output of `meshd ask --json`.',
      'bad_request',
    );
  }
  if (typeof value === 'object' && value !== null && 'receipt' in value)
    return { receipt: value.receipt, record: value as SignedFields };
  return { receipt: value };
}

/**
 * Checks the signature, and for a record also that every field besides the receipt equals the signed one. Needs no
 * daemon.
 */
export async function verifyGiven({ receipt, record }: VerifyInput): Promise<Verdict> {
  const [{ verifyReceipt }, { findDifferences }] = await Promise.all([
    import('../../lib/crypto/receipt.js'),
    import('../../client/receipt-differences.js'),
  ]);
  const verdict = verifyReceipt(receipt);
  if (!verdict.valid || !record) return verdict;
  const reasons = await findDifferences(receipt as Receipt, record);
  return { ...verdict, valid: reasons.length === 0, reasons };
}

/** Determines whose key signed a valid receipt, and why that key is not accepted; `refusal` is undefined when it is. */
export function judgeSigner(
  pubkey: string | null,
  { own, named, isAnyTaken }: Expected,
): { signer: Signer; refusal: string | undefined } {
  const signer = pubkey === own ? 'this daemon' : pubkey === named ? 'the key you named' : 'another key';
  if (isAnyTaken || pubkey === (named ?? own)) return { signer, refusal: undefined };
  if (named !== undefined) return { signer, refusal: 'It is not signed by the key that you named.' };
  const why =
    own === undefined
      ? 'This project has no key of its own to compare with'
      : 'It is signed by another key than this daemon’s';
  return { signer, refusal: `${why}: name the one you expect with --key, or take any with --any-key.` };
}

export function addVerify(program: Command, terminal: Terminal): void {
  program
    .command('verify')
    .summary('check a receipt offline')
    .description(
      'Check a receipt’s signature and whose key made it; for a whole record (`meshd ask --json`) also that ' +
        'what stands beside the receipt is what was signed. Valid when this project’s daemon signed, unless ' +
        'another key is named. Needs no daemon and no network.',
    )
    .argument('<receipt>', 'a JSON file; - reads stdin')
    .option('--key <key>', 'the public key that must have signed, in base64, as a receipt’s pubkey')
    .addOption(new Option('--any-key', 'take whatever key signed').conflicts('key'))
    .addHelpText(
      'after',
      examples(
        'meshd verify receipt.json',
        'meshd ask consultant "What does this project do?" --json | meshd verify -',
        'meshd verify receipt.json --key "$KEY_OF_THEIR_DAEMON"',
      ),
    )
    .action(
      action<{ key?: string; anyKey?: boolean }, [string]>(terminal, async ({ root, json, key, anyKey }, path) => {
        const { valid, reasons, pubkey } = await verifyGiven(readGiven(await readText(path)));
        const { signer, refusal } = judgeSigner(pubkey, {
          own: await readOwnKey(root),
          named: key,
          isAnyTaken: anyKey,
        });
        const all = refusal === undefined || !valid ? reasons : [...reasons, refusal];
        const isTaken = valid && refusal === undefined;
        if (!isTaken) terminal.exit = EXIT.failed;
        if (json) return terminal.object({ valid: isTaken, reasons: all, pubkey, signer: valid ? signer : null });
        terminal.answer(isTaken ? `Valid, signed by ${signer}: ${pubkey}.` : 'Not valid.');
        if (!isTaken && valid) terminal.note(`  Signed by ${signer}: ${pubkey}.`);
        for (const reason of all) terminal.note(`  ${reason}`);
      }),
    );
}
