import { Badge } from '../../components/badge.js';
import { shownWords } from '../../lib/shown-words.js';
import { networkWords } from './payment-words.js';

/** The network, and whether it moves real money. Shown beside every amount. */
export function NetworkMark({ network, isReal }: { network: string; isReal: boolean }) {
  return <Badge>{shownWords(networkWords(network, isReal))}</Badge>;
}
