import { describe, expect, it } from 'vitest';
import { REFUSED_KEYS_PER_HOUR, type RefusedList, type UsageReport } from '../../contract/usage.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';

const list = async (app: TestApp, query = '') =>
  (await app.call('GET', `/requests/refused${query}`)).body as unknown as RefusedList;
const ask = (app: TestApp, member: string, headers: Record<string, string>) =>
  app.call('POST', `/team/${member}/ask`, { text: 'Why?' }, headers);

describe('refused calls', () => {
  it('are counted by reason, member, caller and route, without any credential', async () => {
    const app = await testApp();
    const token = await app.getToken('consultant');
    const guess = { authorization: `Bearer ${token.slice(0, -3)}xyz`, 'user-agent': `curl/8 ${token}` };
    await ask(app, 'consultant', guess);
    app.clock.advance(60_000);
    await ask(app, 'consultant', guess);
    await ask(app, 'nobody-of-this-name', { 'user-agent': token });
    const { refused, count, total } = await list(app);
    expect([count, total]).toEqual([2, 3]);
    expect(refused).toContainEqual({
      ...{ reason: 'wrong_credential', member: 'consultant', caller: 'curl/8', count: 2 },
      ...{ address: '127.0.0.1', route: 'POST /team/:id/ask' },
      ...{ first_at: '2026-11-21T12:00:00.000Z', last_at: '2026-11-21T12:01:00.000Z' },
    });
    expect(refused).toContainEqual(expect.objectContaining({ reason: 'no_credential', member: '', count: 1 }));
    expect(JSON.stringify(refused)).not.toMatch(/mk_|nobody-of-this-name/);
    expect(await list(app, '?reason=no_credential')).toMatchObject({ count: 1, total: 1 });
    expect(await list(app, '?member=consultant&caller=CURL')).toMatchObject({ count: 1, total: 2 });
    expect(await list(app, '?since=2026-11-21T13:00:00Z')).toMatchObject({ count: 0, total: 0 });
    expect((await app.call('GET', '/requests/refused?since=lately')).status).toBe(400);
    const { total: usage } = (await app.call('GET', '/usage')).body as unknown as UsageReport;
    expect(usage).toMatchObject({ refused: 3, asks: 0 });
  });

  it('are none of the operator’s, and no answer that was not a refusal', async () => {
    const app = await testApp();
    await app.ask('consultant', { text: 'On which port does it listen?' });
    await app.call('GET', '/requests?status=wrong');
    await app.call('GET', '/team/nobody/about');
    expect(await list(app)).toEqual({ refused: [], count: 0, total: 0 });
  });

  it('count too many wrong credentials as such, and make the store grow by few rows however many there are', async () => {
    const app = await testApp();
    for (let at = 0; at < 60; at += 1)
      await ask(app, 'consultant', { authorization: 'Bearer wrong', 'user-agent': `flood-${at}` });
    const { refused, total } = await list(app, '?limit=200');
    expect(total).toBe(60);
    expect(refused.length).toBeLessThanOrEqual(REFUSED_KEYS_PER_HOUR + 2);
    expect(refused).toContainEqual(
      expect.objectContaining({ reason: 'too_many_requests', caller: 'others', member: '', count: 40 }),
    );
    app.clock.step(91 * 86_400_000);
    await ask(app, 'consultant', {});
    expect(await list(app)).toMatchObject({ count: 1, total: 1 });
  });

  it('are still there after a restart', async () => {
    const app = await testApp();
    await ask(app, 'consultant', {});
    await app.stop();
    const again = await testApp({ root: app.root, clock: app.clock });
    expect(await list(again)).toMatchObject({ total: 1 });
  });
});
