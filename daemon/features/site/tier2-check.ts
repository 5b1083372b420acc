import { Compile } from 'typebox/compile';
import { Tier2Card } from '../../contract/network/site.js';

type Checker = ReturnType<typeof Compile<typeof Tier2Card>>;
/** Compiled when the first card is read. */
let compiled: Checker | undefined;

/**
 * Validates an agent's response as a Tier-2 card. Returns the card, or a description of the problem. Spec: Tier-2
 * public card.
 */
export function tier2CardIn(value: unknown): { card: Tier2Card } | { problem: string } {
  compiled ??= Compile(Tier2Card);
  if (compiled.Check(value)) return { card: value };
  const [{ instancePath, message }] = compiled.Errors(value) as [ReturnType<Checker['Errors']>[number]];
  const where = instancePath.slice(1).replaceAll('/', '.');
  return { problem: `Its card is not valid: ${where === '' ? 'the card' : `"${where}"`} ${message}.` };
}
