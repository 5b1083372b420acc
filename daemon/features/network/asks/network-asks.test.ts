import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NetworkAgents, NetworkAsk } from '../../../contract/shared/network-asks.js';
import { type TestApp, testApp } from '../../../testing/apps/test-app.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../../testing/processes/nats-server.js';

const QUESTION = 'Which port does it listen on?';

describe.skipIf(!hasNatsServer)(`members of other daemons${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let [asking, asked]: [TestApp, TestApp] = [] as never;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  const join = async () => {
    [asking, asked] = [await testApp(), await testApp()];
    // The clock of a request is compared with that of the other daemon.
    for (const { clock } of [asking, asked]) clock.step(Date.now() - clock.now());
    const network = `docks-${Math.random().toString(36).slice(2, 8)}`;
    const entry = { url: servers.url, network };
    expect(await asked.call('POST', '/network', { ...entry, name: 'Quay' })).toMatchObject({ status: 200 });
    expect(await asking.call('PUT', '/network', { ...entry, name: 'Pier' })).toMatchObject({ status: 200 });
  };
  const share = async (member = 'consultant') => {
    await asked.call('PATCH', `/team/${member}`, { exposure: 'external' });
    expect(await asked.call('PUT', `/network/agents/${member}`)).toMatchObject({ status: 200 });
    await expect
      .poll(async () => ((await asking.call('GET', '/network/agents')).body as NetworkAgents).agents)
      .toContainEqual(expect.objectContaining({ member, daemon_name: 'Quay', self: false, problem: null }));
  };
  const ask = async (to: string, text = QUESTION) =>
    (await asking.call('POST', '/network/asks', { to, text })).body as NetworkAsk;
  const untilOver = async ({ id }: NetworkAsk) => {
    const read = async () => (await asking.call('GET', `/network/asks/${id}?wait=1`)).body as NetworkAsk;
    await expect.poll(async () => (await read()).finished_at, { timeout: 20_000 }).not.toBeNull();
    return read();
  };

  it('answers a colleague with checked quotes and a receipt, and says who asked', async () => {
    await join();
    await asked.untilIndexed();
    expect(await asking.call('GET', '/network/agents')).toMatchObject({ body: { agents: [], count: 0 } });
    await share();
    const sent = await ask('Quay/consultant');
    expect(sent).toMatchObject({ status: 'sent', daemon_name: 'Quay', member: 'consultant', text: QUESTION });
    const answer = await untilOver(sent);
    expect(answer).toMatchObject({
      status: 'done',
      result_text: expect.stringContaining('8123'),
      confidence: 'likely',
      client: 'builtin',
      citations: [expect.objectContaining({ path: 'README.md', status: 'checked' })],
      receipt: { member: 'consultant' },
    });
    expect(answer).not.toHaveProperty('text_so_far');
    expect(await asked.call('GET', '/requests')).toMatchObject({
      body: { requests: [{ question: QUESTION, caller: { user_agent: 'daemon Pier', daemon: expect.any(String) } }] },
    });
  });

  it('lets others ask what the operator shares, and nothing else', async () => {
    await join();
    await asked.call('PATCH', '/team/developer', { exposure: 'external' });
    await asked.call('PATCH', '/team/architect-master', { exposure: 'external' });
    // Exposed to programs of its machine, and not shared.
    expect(await asking.call('POST', '/network/asks', { to: 'Quay/developer', text: QUESTION })).toMatchObject({
      status: 404,
      body: { path: 'to', message: expect.stringContaining('No daemon of the network shares "Quay/developer"') },
    });
    expect(await asked.call('PUT', '/network/agents/ui-reviewer')).toMatchObject({
      status: 409,
      body: { error: 'not_exposed', message: expect.stringContaining('"ui-reviewer"') },
    });
    expect(await asked.call('PUT', '/network/agents/architect-master')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('daemons would learn what others asked') },
    });
    await share('developer');
    await share('consultant');
    expect(await asking.call('POST', '/network/asks', { to: 'consultant', text: QUESTION })).toMatchObject({
      status: 400,
      body: { path: 'to', message: expect.stringContaining('"consultant" is not <project>/<member>') },
    });
    const price = {
      description: 'paints lamps '.repeat(30),
      payment: { modes: ['x402'] },
      pricing: { unit: 'request', amount: 5_000, currency: 'lamports' },
    };
    expect(await asked.call('PATCH', '/team/developer', price)).toMatchObject({ status: 200 });
    await asked.call('PATCH', '/team/consultant', { exposure: 'internal' });
    await asked.call('PATCH', '/team/consultant', { exposure: 'external' });
    await expect
      .poll(async () => ((await asking.call('GET', '/network/agents')).body as NetworkAgents).agents)
      .toMatchObject([
        {
          member: 'developer',
          description: expect.stringMatching(/^(paints lamps )+paints(?: lamps)?…$/),
          price: { amount: 5_000, currency: 'lamports', unit: 'request' },
        },
      ]);
    expect(await asking.call('POST', '/network/asks', { to: 'Quay/developer', text: QUESTION })).toMatchObject({
      status: 402,
      body: { error: 'payment_required', message: expect.stringContaining('It has a price') },
    });
    expect(await asked.call('GET', '/requests')).toMatchObject({ body: { count: 0 } });
  });

  it('says in one sentence that there is no network, or no connection to it', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const alone = await testApp();
    const body = { to: 'lamp/consultant', text: QUESTION };
    expect(await alone.call('POST', '/network/asks', body)).toMatchObject({
      status: 404,
      body: { message: 'This daemon is in no network: join one first (meshd network join).' },
    });
    alone.clock.step(Date.now() - alone.clock.now());
    expect(await alone.call('POST', '/network', { url: lone.url, network: 'docks' })).toMatchObject({ status: 200 });
    await lone.kill('n1');
    await expect
      .poll(async () => alone.call('POST', '/network/asks', body))
      .toMatchObject({
        status: 503,
        body: {
          error: 'network_unavailable',
          message: expect.stringMatching(/^No member of another daemon can be asked: /),
        },
      });
  });
});
