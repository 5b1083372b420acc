import { LOCAL_NETWORK, type NetworkName } from '../../contract/payments.js';
import { decodeBase58 } from '../crypto/base58.js';

const NAME = /^solana:local-[0-9a-f]{8}$/;

/** Whether `network` names the local network of some daemon by its genesis. */
export const isLocalNetworkName = (network: string): network is NetworkName => NAME.test(network);

/**
 * Returns the name of the local network with a genesis hash (base58 of 32 bytes); undefined for a text that is no hash.
 */
export function toLocalNetworkName(genesisHash: unknown): NetworkName | undefined {
  const bytes = typeof genesisHash === 'string' && genesisHash.length <= 64 ? decodeBase58(genesisHash) : undefined;
  if (bytes?.length !== 32) return undefined;
  return `${LOCAL_NETWORK}-${Buffer.from(bytes).toString('hex', 0, 4)}` as NetworkName;
}
