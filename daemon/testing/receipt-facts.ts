import type { ReceiptFacts } from '../lib/crypto/receipt.js';

/** The content of a receipt of an answer without citations. */
export const RECEIPT_FACTS: ReceiptFacts = {
  request_id: 'req-0123456789abcdef',
  member: 'consultant',
  member_sha256: '0'.repeat(64),
  question: 'Why?',
  answer: 'Because.',
  citations: [],
  client: 'builtin',
  model: 'none',
  created_at: '2026-11-21T12:00:00.000Z',
  finished_at: '2026-11-21T12:00:01.000Z',
};
