import type { Config } from '../config.js';
import { LOCAL_NETWORK, type Network } from '../contract/payments.js';

/** The networks on which this daemon can pay and be paid: the embedded one, and those with an address. */
export const listConfiguredNetworks = ({ networkAddresses }: Pick<Config, 'networkAddresses'>): readonly Network[] => [
  LOCAL_NETWORK,
  ...networkAddresses.map(([network]) => network),
];
