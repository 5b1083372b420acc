import { Compile } from 'typebox/compile';
import { type Citation, Receipt } from '../../contract/asks.js';
import { sha256Hex } from './digests.js';
import { isSignedBy, type SigningKey } from './ed25519.js';
import { jcs } from './jcs.js';

type Checker = ReturnType<typeof Compile<typeof Receipt>>;
let compiled: Checker | undefined;
/** Compiled at the first check of a receipt, which keeps it out of the daemon's start. */
const receiptChecker = (): Checker => {
  compiled ??= Compile(Receipt);
  return compiled;
};

/** The content of a receipt before it is signed. Texts are given in full and digested by `makeReceipt`. */
export interface ReceiptFacts {
  request_id: string;
  member: string;
  member_sha256: string;
  question: string;
  answer: string;
  citations: readonly Citation[];
  client: string;
  model: string;
  created_at: string;
  finished_at: string;
}

/** The signed receipt of one answered ask. Contract: ask and poll. */
export function makeReceipt(facts: ReceiptFacts, key: SigningKey): Receipt {
  const { question, answer, citations, ...rest } = facts;
  const unsigned = {
    v: 1 as const,
    ...rest,
    question_sha256: sha256Hex(question),
    answer_sha256: sha256Hex(answer),
    citations_sha256: sha256Hex(jcs(citations)),
    pubkey: key.pubkey,
  };
  return { ...unsigned, sig: key.sign(jcs(unsigned)) };
}

/**
 * Checks the shape and the signature of a receipt without a daemon, a key or the network. `reasons` is empty when it is
 * valid.
 */
export function verifyReceipt(value: unknown): { valid: boolean; reasons: string[]; pubkey: string | null } {
  const checker = receiptChecker();
  if (!checker.Check(value)) {
    const reasons = checker
      .Errors(value)
      .slice(0, 5)
      .map((error) => `${error.instancePath.slice(1) || 'receipt'}: ${error.message}`);
    return { valid: false, reasons, pubkey: null };
  }
  const { sig, ...unsigned } = value as Receipt;
  if (!isSignedBy(unsigned.pubkey, jcs(unsigned), sig)) {
    return {
      valid: false,
      reasons: ['The signature does not match: the receipt was changed, or its key is not the signer.'],
      pubkey: unsigned.pubkey,
    };
  }
  return { valid: true, reasons: [], pubkey: unsigned.pubkey };
}
