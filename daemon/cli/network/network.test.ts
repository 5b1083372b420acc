import { expect, it, onTestFinished } from 'vitest';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

it('says that the daemon is in no network, and what was wrong with an address or a file', async () => {
  const { root } = await daemon();
  expect((await meshd(root, 'network', 'status')).out).toBe(
    'This daemon is in no network: meshd network join <url> joins one.\n',
  );
  expect(await meshd(root, 'network', 'join', 'nats://nats.example.com')).toMatchObject({
    out: '',
    err: expect.stringContaining('"nats://nats.example.com" is another machine, which needs TLS'),
  });
  const file = `${temporaryFolder({ 'me.creds': 'not credentials\n' })}/me.creds`;
  const refused = await meshd(root, 'network', 'create', 'nats://127.0.0.1:1', '--creds', file);
  expect(refused.err).toContain('no .creds file of NATS');
  const left = await meshd(root, 'network', 'leave', '--json');
  expect(JSON.parse(left.out)).toMatchObject({ error: 'not_found', message: 'This daemon is in no network.' });
  expect((await meshd(root, 'network', 'members')).err).toContain('this daemon is in none');
});

it.skipIf(!hasNatsServer)(`creates a network, shows it and its daemons, and leaves it${NATS_NEEDED}`, async () => {
  const servers = await NatsServers.start(1);
  onTestFinished(() => servers.stop());
  const { root, clock } = await daemon();
  clock.step(Date.now() - clock.now());
  const created = await meshd(root, 'network', 'create', servers.url, '--network', 'docks', '--name', 'Quay');
  expect(created.out).toMatch(/^Network +docks\nState +(up to date|catching up)\n/);
  expect(created.out).toMatch(/\nPromise +An acknowledged change survives the death of the server process/);
  await expect
    .poll(async () => JSON.parse((await meshd(root, 'network', 'status', '--json')).out))
    .toMatchObject({ state: 'following', network: 'docks', lag: 0, replicas: 1 });
  await expect
    .poll(async () => (await meshd(root, 'network', 'members')).out)
    .toMatch(/^Quay +present +this daemon\n$/);
  expect((await meshd(root, 'network', 'leave')).out).toContain('in no network');
  const joined = await meshd(root, 'network', 'join', servers.url, '--json');
  expect(JSON.parse(joined.out)).toMatchObject({ network: 'docks' });
});
