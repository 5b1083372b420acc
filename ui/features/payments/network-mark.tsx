import { Badge } from '../../components/badge.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatNetwork } from './payment-format.js';

/** The network, and whether it moves real money. Shown beside every amount. */
export function NetworkMark({ network, isReal }: { network: string; isReal: boolean }) {
  return <Badge>{toDisplayText(formatNetwork(network, isReal))}</Badge>;
}
