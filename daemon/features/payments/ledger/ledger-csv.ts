import type { LedgerEntry } from '../../../contract/payments.js';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'side',
  'kind',
  'state',
  'mode',
  'agent',
  'skill',
  'counterparty',
  'amount_lamports',
  'network',
  'real',
  'nonce',
  'signature',
  'api_key_last4',
  'reason',
  'latency_ms',
] as const satisfies readonly (keyof LedgerEntry)[];

/**
 * Formats one cell. A text that a spreadsheet would interpret as a formula, or that starts with a tab or a line break,
 * gets an apostrophe in front, and so does a part of it that becomes a cell where the separator is `;` or a tab. A text
 * with separators or quotes is quoted.
 */
function cell(value: LedgerEntry[keyof LedgerEntry] | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const plain = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  const safe = plain.replace(/([;\t])(?=[^\S\t]*[=+\-@|%])/g, "$1'");
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/** Formats entries as lines of CSV (RFC 4180). Times are epoch seconds. */
export function csvLines(entries: readonly LedgerEntry[]): string {
  return entries.map((entry) => `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`).join('');
}
