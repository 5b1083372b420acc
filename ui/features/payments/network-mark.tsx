import { Badge } from '../../components/badge.js';
import { shownWords } from '../../lib/shown-words.js';
import { networkWords } from './payment-words.js';

/** Which network, and whether what moves on it is money: said wherever an amount is. */
export function NetworkMark({ network, isReal }: { network: string; isReal: boolean }) {
  return <Badge>{shownWords(networkWords(network, isReal))}</Badge>;
}
