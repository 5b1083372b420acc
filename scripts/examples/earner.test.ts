import { describe, expect, it, onTestFinished } from 'vitest';
import type { Tier2Card } from '../../daemon/contract/network/site.js';
import type { Call } from '../../daemon/contract/payments.js';
import { aPayer } from '../../daemon/testing/apps/a-market.js';
import { temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { DESIGNED_MARGIN, earner, TIER_LAMPORTS, TWEET_WITH_IMAGE_LAMPORTS, type TweetWithImage } from './earner.js';
import { imageSupplier, PICTURE_LAMPORTS } from './image-supplier.js';
import { TIER_NAMES, TIERS } from './tweet-text.js';

/** Starts a daemon that pays, a supplier, and the earner with a funded wallet. */
async function economy() {
  const payer = await aPayer();
  const hub = payer.app.address;
  const supplier = await imageSupplier({ folder: temporaryFolder(), hub, port: 0 });
  onTestFinished(() => supplier.close());
  const [port, writerPort] = payer.ports as [number, number];
  const seller = await earner({ folder: temporaryFolder(), hub, port, writerPort, freeCalls: 1 });
  onTestFinished(() => seller.close());
  const airdrop = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [seller.agent.wallet, 10_000_000] };
  await payer.app.call('POST', '/chain', airdrop);
  return { payer, supplier, seller };
}

describe('the reference earner', () => {
  it('returns the result that the specification defines for its composite skill, and keeps its margin', async () => {
    const { payer, supplier, seller } = await economy();
    const input = { prompt: 'harbour lights at dusk', tone: 'playful' };
    const call = (mode: 'free' | 'x402'): Promise<Call> =>
      payer.pay({ agent: 'earner', skill: 'tweet-with-image', input, mode });
    const results = [(await call('free')).result, (await call('x402')).result] as TweetWithImage[];
    for (const result of results) {
      const { tweet, char_count, image, supplier: from, economics, reputation_filed } = result;
      expect(Object.keys(result).sort()).toEqual(
        ['tweet', 'char_count', 'image', 'payment_mode', 'supplier', 'economics', 'reputation_filed'].sort(),
      );
      expect(Object.keys(from).sort()).toEqual(['agent_id', 'latency_ms', 'provider_used', 'settled', 'signed']);
      expect(Object.keys(economics).sort()).toEqual(['currency', 'designed_margin', 'earned', 'profit', 'spent']);
      expect(from).toMatchObject({ agent_id: 'image-supplier', settled: true, signed: true, provider_used: 'raster' });
      expect(reputation_filed).toMatchObject({
        ok: true,
        score: expect.any(Number),
        dims: { reliability: 1, settlement: 1 },
      });
      expect([char_count, char_count <= 280]).toEqual([[...tweet].length, true]);
      expect(Buffer.from(image.replace('data:image/png;base64,', ''), 'base64').subarray(1, 4).toString()).toBe('PNG');
    }
    expect(
      results.map(({ payment_mode, economics }) => [payment_mode, economics.earned, economics.spent, economics.profit]),
    ).toEqual([
      ['free', 0, PICTURE_LAMPORTS, -PICTURE_LAMPORTS],
      ['x402', TWEET_WITH_IMAGE_LAMPORTS, PICTURE_LAMPORTS, DESIGNED_MARGIN],
    ]);
    expect(supplier.agent.books().tills).toMatchObject([{ earned_lamports: 2 * PICTURE_LAMPORTS }]);
    expect(seller.agent.books().tills).toMatchObject([{ earned_lamports: TWEET_WITH_IMAGE_LAMPORTS }]);
  });

  it('fails without a charge when no supplier delivers', async () => {
    const { payer, supplier, seller } = await economy();
    await supplier.close();
    const call = await payer.pay({
      agent: 'earner',
      skill: 'tweet-with-image',
      input: { prompt: 'lamps' },
      mode: 'free',
    });
    expect(call).toMatchObject({ state: 'failed', error: { code: 'agent_failed' } });
    expect(seller.payer.entries(10)).toEqual([]);
  });

  it('sells a text without a picture at the price of its tier', async () => {
    const { payer, seller } = await economy();
    const card = seller.writer.card() as unknown as Tier2Card;
    expect(card.skills.map(({ id }) => id)).toEqual(['tweet']);
    for (const tier of TIER_NAMES) {
      const call = await payer.pay({
        agent: 'earner-writer',
        skill: 'tweet',
        input: { prompt: 'harbour lights', tier },
      });
      expect(call.amount_lamports).toBe(TIER_LAMPORTS[tier]);
      const result = call.result as { tweet: string; char_count: number; tier_paid: string };
      expect(Object.keys(result).sort()).toEqual(['char_count', 'tier_paid', 'tweet']);
      expect([result.tier_paid, result.char_count <= TIERS[tier].chars]).toEqual([tier, true]);
    }
  });
});
