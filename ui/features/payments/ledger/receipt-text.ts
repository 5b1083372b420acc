import { isObject } from '../../../../daemon/lib/is-object.js';
/**
 * Finds the receipt in a pasted text, alone or inside the response that contains it. `fault` describes what is wrong
 * and what would be right.
 */
export function receiptIn(text: string): { receipt?: Record<string, unknown>; fault?: string } {
  if (text.trim() === '') return { fault: 'Paste a receipt, or the whole answer that carries one.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'That is not JSON. A receipt begins with { and ends with }.' };
  }
  if (!isObject(value)) return { fault: 'A receipt is one JSON object.' };
  const { receipt } = value;
  return { receipt: isObject(receipt) ? receipt : value };
}
