import { describe, expect, it } from 'vitest';
import type { NetworkName } from '../../contract/payments.js';
import type { Chain } from './chain.js';
import { KnownChains } from './known-chains.js';

const chain = (network: string) => ({ network: network as NetworkName }) as Chain;
const [LOCAL, DEVNET] = [chain('solana:local'), chain('solana:devnet')];
const OWN_NAME = 'solana:local-0123abcd' as NetworkName;
const refusal = (message: string) => ({ code: 'bad_request', message, details: { path: 'network' } });
const unknown = refusal('There is no network of that name: use one of solana:local, solana:devnet.');

describe('the configured networks', () => {
  const chains = new KnownChains(LOCAL, [DEVNET]);

  it('are listed, the local one first, and found by their names', async () => {
    expect(chains.list()).toEqual(['solana:local', 'solana:devnet']);
    expect(await chains.get('solana:local')).toBe(LOCAL);
    expect(await chains.get('solana:devnet')).toBe(DEVNET);
  });

  it('do not include one without an address: the variable that takes it is named', async () => {
    await expect(chains.get('solana:mainnet')).rejects.toMatchObject(
      refusal(
        'solana:mainnet is not configured on this machine: give its JSON-RPC address in MESHD_SOLANA_MAINNET_URL, ' +
          'or use solana:local.',
      ),
    );
  });

  it.each(['bitcoin', '', 'solana:local-', OWN_NAME])(
    'do not include %j: those that are there are named',
    async (name) => {
      await expect(chains.get(name)).rejects.toMatchObject(unknown);
    },
  );
});

describe('a local network that is named by its genesis', () => {
  const neighbours = (own?: NetworkName) => new KnownChains(LOCAL, [DEVNET], chain, async () => own);

  it('is the embedded one when it has that genesis, and otherwise that of another daemon', async () => {
    expect(await neighbours(OWN_NAME).get(OWN_NAME)).toBe(LOCAL);
    expect(await neighbours(OWN_NAME).get('solana:local-0123abce')).toEqual(chain('solana:local-0123abce'));
    expect(await neighbours().get(OWN_NAME)).toEqual(chain(OWN_NAME));
    await expect(neighbours().get('solana:local-x')).rejects.toMatchObject(unknown);
  });
});
