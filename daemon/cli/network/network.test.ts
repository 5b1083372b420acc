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
  expect((await meshd(root, 'network', 'copies')).err).toContain('Nothing was set aside');
  expect(await meshd(root, 'network', 'restore')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('Nothing was set aside'),
  });
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
  expect((await meshd(root, 'network', 'restore')).err).toContain('whose data it follows: leave it first');
  expect((await meshd(root, 'network', 'copies')).out).toMatch(/^\d+-before-docks +\S+Z +before docks\n$/);
  await meshd(root, 'network', 'leave');
  expect((await meshd(root, 'network', 'restore')).out).toMatch(
    /^Restored \d+-before-docks\. What it replaced is set aside as \d+-before-restore\.\n$/,
  );
});

it.skipIf(!hasNatsServer)(`asks the member that another daemon shares${NATS_NEEDED}`, async () => {
  const servers = await NatsServers.start(1);
  onTestFinished(() => servers.stop());
  const [here, there] = [await daemon(), await daemon()];
  for (const { clock } of [here, there]) clock.step(Date.now() - clock.now());
  await meshd(there.root, 'network', 'create', servers.url, '--name', 'Quay');
  await meshd(here.root, 'network', 'join', servers.url, '--name', 'Pier');
  await there.untilIndexed();
  expect((await meshd(here.root, 'network', 'members')).err).toContain('No daemon shares a member');
  const hidden = await meshd(there.root, 'network', 'share', 'developer');
  expect(hidden).toMatchObject({ exit: 6, err: expect.stringContaining('expose it first (meshd team expose)') });
  const shared = await meshd(there.root, 'network', 'share', 'consultant');
  expect(shared.out).toMatch(/^\S+\/consultant +shared by you +\S/);
  await expect
    .poll(async () => (await meshd(here.root, 'network', 'members')).out)
    .toMatch(/^\S+\/consultant +free +\S/m);
  const asked = await meshd(here.root, 'ask', 'Quay/consultant', 'Which port does it listen on?');
  expect(asked).toMatchObject({ exit: 0, out: expect.stringContaining('8123') });
  expect(asked.err).toMatch(/^sent to the daemon Quay\n/);
  expect(asked.err).toContain('The quotes are of files of the daemon Quay, which checked them');
  const answer = await meshd(here.root, 'ask', 'Quay/consultant', 'Which port does it listen on?', '--json');
  expect(JSON.parse(answer.out)).toMatchObject({
    status: 'done',
    daemon_name: 'Quay',
    citations: [{ path: 'README.md' }],
  });
  expect(await meshd(here.root, 'ask', 'Reef/consultant', 'Which port?')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('No daemon of the network shares "Reef/consultant"'),
  });
  const input = '{"text":"Which port does it listen on?"}';
  const called = await meshd(here.root, 'call', 'Quay/consultant', 'ask', '--input', input);
  expect(JSON.parse(called.out)).toMatchObject({ result_text: expect.stringContaining('8123'), client: 'builtin' });
  expect(await meshd(here.root, 'call', 'Quay/consultant', 'paint', '--input', '{}')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('by its skill `ask` alone, not by paint'),
  });
  expect((await meshd(here.root, 'call', 'Quay/consultant', 'ask', '--input', '{"words":"x"}')).err).toContain(
    'words is not in it',
  );
  expect((await meshd(there.root, 'network', 'unshare', 'consultant')).err).toBe('This daemon shares no member.\n');
  await expect
    .poll(async () => (await meshd(here.root, 'ask', 'Quay/consultant', 'Which port?')).err)
    .toContain('No daemon of the network shares "Quay/consultant"');
});
