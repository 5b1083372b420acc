import type { Command } from 'commander';
import type { Citation } from '../contract/asks.js';
import { action, examples } from './action.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { readText } from './standard-input.js';
import type { Terminal } from './terminal.js';

/** What `verify` reads: a receipt, or a request's whole record with the receipt in it. */
interface Given {
  receipt: unknown;
  /** Present for a record: the texts that the receipt's digests are of. */
  record?: { text?: string; result_text?: string; citations?: Citation[] };
}

export function readGiven(text: string): Given {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandFailure(
      EXIT.usage,
      'That is not JSON: give a receipt, or the output of `meshd ask --json`.',
      'bad_request',
    );
  }
  if (typeof value === 'object' && value !== null && 'receipt' in value)
    return { receipt: value.receipt, record: value as NonNullable<Given['record']> };
  return { receipt: value };
}

/** Checks the signature, and for a record also that question, answer and citations are the ones that were signed. Needs no daemon. */
export async function verifyGiven({
  receipt,
  record,
}: Given): Promise<{ valid: boolean; reasons: string[]; pubkey: string | null }> {
  const [{ verifyReceipt }, { sha256Hex }, { jcs }] = await Promise.all([
    import('../lib/receipt.js'),
    import('../lib/digests.js'),
    import('../lib/jcs.js'),
  ]);
  const verdict = verifyReceipt(receipt);
  if (!verdict.valid || !record) return verdict;
  const signed = receipt as { question_sha256: string; answer_sha256: string; citations_sha256: string };
  const reasons: string[] = [];
  const compare = (name: string, text: string | undefined, digest: string) => {
    if (text !== undefined && sha256Hex(text) !== digest) reasons.push(`The ${name} is not the one that was signed.`);
  };
  compare('question', record.text, signed.question_sha256);
  compare('answer', record.result_text, signed.answer_sha256);
  compare('list of citations', record.citations && jcs(record.citations), signed.citations_sha256);
  return { ...verdict, valid: reasons.length === 0, reasons };
}

export function addVerify(program: Command, terminal: Terminal): void {
  program
    .command('verify')
    .summary('check a receipt offline')
    .description(
      'Check a receipt’s signature; for a whole record (`meshd ask --json`) also that its texts are the signed ones. Needs no daemon and no network.',
    )
    .argument('<receipt>', 'a JSON file; - reads stdin')
    .addHelpText(
      'after',
      examples(
        'meshd verify receipt.json',
        'meshd ask consultant "What does this project do?" --json | meshd verify -',
      ),
    )
    .action(
      action<object, [string]>(terminal, async ({ json }, path) => {
        const verdict = await verifyGiven(readGiven(await readText(path)));
        if (!verdict.valid) terminal.exit = EXIT.failed;
        if (json) return terminal.object(verdict);
        terminal.answer(verdict.valid ? `Valid, signed by ${verdict.pubkey}.` : 'Not valid.');
        for (const reason of verdict.reasons) terminal.warn(`  ${reason}`);
      }),
    );
}
