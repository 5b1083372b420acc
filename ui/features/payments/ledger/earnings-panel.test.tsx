// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { DepositsPanel } from './earnings-panel.js';

removeAfterEach();

it.each([
  ['solana:local', 'Local network: not real money'],
  ['solana:devnet', 'solana:devnet: not real money'],
  ['solana:mainnet', 'solana:mainnet'],
])('names the network of a deposit on %s', async (network, mark) => {
  stubDaemon();
  const deposit = { agent: 'pier', network, lamports: 5_000, api_key_last4: 'abcd' };
  const page = await drawPart(<DepositsPanel deposits={[deposit as never]} />);
  expect(page.words()).toContain(`pier${mark}0.000005 SOL`);
});
