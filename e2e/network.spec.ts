import { nkeys } from '@nats-io/transport-node';
import type { Page } from '@playwright/test';
import type { NetworkStatus } from '../daemon/contract/shared/network.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../daemon/testing/processes/nats-server.js';
import { here, lines, saveCluster, sendMessage, words } from './a-cluster.js';
import { Peer } from './a-peer.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';
import { Keys } from './keyboard/keys.js';
import { onlyBy } from './only-by.js';
import { startProject } from './project.js';

/** Credentials as the operator of NATS servers gives them out. */
const SEED = Buffer.from(nkeys.createUser().getSeed()).toString();
const CREDENTIALS = [
  '-----BEGIN NATS USER JWT-----\nheader.claims.sig\n------END NATS USER JWT------\n',
  `-----BEGIN USER NKEY SEED-----\n${SEED}\n------END USER NKEY SEED------\n`,
].join('\n');

const REFUSED = 'No majority of the servers confirmed the change. Try it again once they can be reached.';
const state = (page: Page, sentence: string) => page.locator('main').getByText(sentence, { exact: true });
const daemon = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Daemons' }).getByRole('listitem').filter({ hasText: name });

const shared = (page: Page, ref: string) =>
  page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: ref });

/** Asks the member that the other daemon shares, from the page and by the palette. */
async function askColleague(page: Page): Promise<void> {
  await shared(page, 'pier/consultant').getByRole('button', { name: 'Ask' }).click();
  const asking = page.getByRole('dialog', { name: 'Ask pier/consultant' });
  await asking.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(asking.getByRole('textbox', { name: 'Question' })).toHaveAccessibleDescription('Write a question.');
  await asking.getByRole('textbox', { name: 'Question' }).fill('When does the bell of the pier ring?');
  await asking.getByRole('button', { name: 'Ask', exact: true }).click();
  const answer = asking.getByRole('region', { name: 'Answer' });
  await expect(answer).toContainText('18:45');
  await expect(answer.getByRole('list', { name: 'Citations' })).toContainText('README.md:');
  await expect(answer.getByRole('link')).toHaveCount(0);
  await expectAccessible(page, { within: 'dialog[open]' });
  await page.keyboard.press('Escape');
  await expect(asking).toHaveCount(0);

  const undo = onlyBy(page, ['keyboard.press', 'keyboard.type']);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /^Question, page/ })).toBeFocused();
  await page.keyboard.type('@pier/con');
  await expect(page.getByRole('option', { name: /Ask pier\/consultant/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(asking.getByRole('textbox', { name: 'Question' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/network$/);
  undo();
}

// biome-ignore lint/suspicious/noSkippedTests: the program is not on every machine.
test.skip(!hasNatsServer, NATS_NEEDED);

// A daemon announces itself every 20 seconds.
test.use({ clockStep: 21 });

test('two daemons share a network, lose its server, get it back and part', async ({ page, project, agent }) => {
  test.slow();
  const servers = await NatsServers.start(1);
  const files = { 'README.md': '# Pier\n\n## Bell\n\nThe bell of the pier rings at 18:45.\n' };
  const other = await startProject({ files, folderName: 'pier', agent, clockStep: 331, machine: {} });
  try {
    await open(page, project, '/network');
    await expect(page.getByText(/^This daemon is in no network\. Join that of your team/)).toBeVisible();
    await page.getByRole('button', { name: 'Create a network' }).click();
    const form = page.getByRole('dialog', { name: 'Create a network' });
    const address = form.getByRole('textbox', { name: 'Servers' });
    const create = form.getByRole('button', { name: 'Create' });
    await create.click();
    await expect(address).toHaveAccessibleDescription(/Give the address of a server/);
    await address.fill('nats://nats.example.com');
    await create.click();
    await expect(address).toHaveAccessibleDescription(/another machine, which needs TLS/);
    await expect(address).toBeFocused();
    await expectAccessible(page, { within: 'dialog[open]' });
    await address.fill(servers.url);
    const credentials = form.getByRole('textbox', { name: 'Credentials' });
    const file = form.locator('input[type=file]');
    await file.setInputFiles({ name: 'wrong.creds', mimeType: 'text/plain', buffer: Buffer.from('a private text') });
    await expect(credentials).toHaveAccessibleDescription(/^From wrong\.creds\./);
    await create.click();
    await expect(credentials).toHaveAccessibleDescription(/are no \.creds file of NATS/);
    await expect(credentials).toHaveCSS('-webkit-text-security', 'disc');
    await file.setInputFiles({ name: 'me.creds', mimeType: 'text/plain', buffer: Buffer.from(CREDENTIALS) });
    await form.getByRole('textbox', { name: 'Name of the network' }).fill('docks');
    await form.getByRole('textbox', { name: 'Name of this daemon' }).fill('Quay <b>\u202Ex');
    await create.click();
    await expect(state(page, 'Following the network.')).toBeVisible();
    await expect(form).toHaveCount(0);
    await expect(page).toHaveURL(/\/network$/);
    await expect(page.locator('main').getByText('each change is stored by one server')).toBeVisible();
    await expect(page.locator('main').getByText(/^An acknowledged change survives/)).toBeVisible();
    await expect(daemon(page, 'Quay <b>')).toContainText('this daemon');
    expect(await page.content()).not.toContain(SEED);

    const there = await page.context().newPage();
    const keys = new Keys(there);
    const undo = onlyBy(there, ['keyboard.press', 'keyboard.type']);
    await keys.open(other.project);
    await keys.goTo('Shared network', 'Shared network');
    await keys.enter(there.getByRole('button', { name: 'Join a network' }));
    await keys.expectAt(there.getByRole('dialog').getByRole('textbox', { name: 'Servers' }));
    await keys.type(servers.url);
    await keys.press('Enter');
    await expect(state(there, 'Following the network.')).toBeVisible();
    await keys.expectPage('Shared network');
    project.passTime();
    for (const one of [page, there]) {
      await expect(daemon(one, 'Quay <b>')).toContainText('present');
      await expect(daemon(one, 'pier')).toContainText('present');
    }
    await expect(page.getByText(/^No daemon shares a member\./)).toBeVisible();
    await keys.enter(there.getByRole('button', { name: 'Share', exact: true }));
    await expect(shared(there, 'pier/consultant')).toContainText('shared by you');
    undo();
    await askColleague(page);
    await expectAccessible(page);
    await shared(there, 'pier/consultant').getByRole('button', { name: 'Stop sharing' }).click();
    await expect(shared(page, 'pier/consultant')).toHaveCount(0);

    // Talk between the dashboard of one daemon and a program that is connected to the other.
    const { id, token } = await saveCluster(project, 'Harbour crew');
    await open(page, project, `/rooms/${id}`);
    await expect(words(page)).toBeVisible();
    const getSequence = async (of: Project) => (await of.api<NetworkStatus>('GET', '/network')).sequence;
    const sequence = await getSequence(project);
    await expect.poll(() => getSequence(other.project)).toBeGreaterThanOrEqual(sequence);
    const ada = await Peer.join(other.project, id, 'ada', token);
    await expect(here(page)).toContainText('ada');
    await sendMessage(page, 'Is anybody on the pier?');
    await ada.hears('Is anybody on the pier?');
    await expect(lines(page).last()).toContainText('Reached 1.');
    ada.say('I am, at the other daemon.');
    await expect(lines(page).last()).toContainText('I am, at the other daemon.');
    ada.leave();
    await expect(here(page)).not.toContainText('ada');
    await open(page, project, '/network');
    await expect(page.locator('main').getByText(/^\d+ messages sent, \d+ received, 0 dropped$/)).toBeVisible();

    await servers.kill('n1');
    for (const one of [page, there]) {
      await expect(state(one, 'No connection to the servers.')).toBeVisible();
      await expect(
        one.locator('main').getByText(/reading, and everything that is of this machine alone/),
      ).toBeVisible();
    }
    await expect(daemon(page, 'pier')).toContainText('presence not known');
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    // A page whose change the network does not take shows the daemon's whole sentence.
    await page.route(/\/v1\/clusters$/, (route) =>
      route.fulfill({ status: 503, json: { error: 'network_unavailable', message: REFUSED, id: 'err-1' } }),
    );
    await open(page, project, '/rooms?make=new');
    const cluster = page.getByRole('dialog', { name: 'New cluster' });
    await cluster.getByRole('textbox', { name: 'Name' }).fill('Harbour crew');
    await cluster.getByRole('button', { name: 'Create' }).click();
    await expect(cluster.getByRole('alert')).toContainText(REFUSED);
    await open(page, project, '/network');
    await servers.startOne('n1');
    for (const one of [page, there]) await expect(state(one, 'Following the network.')).toBeVisible();

    const again = onlyBy(there, ['keyboard.press', 'keyboard.type']);
    await keys.back(there.getByRole('button', { name: 'Leave the network' }));
    await keys.press('Enter');
    const leaving = there.getByRole('dialog', { name: 'Leave docks' });
    await expect(leaving.getByText(/^What was shared until now stays here/)).toBeVisible();
    await keys.enter(leaving.getByRole('button', { name: 'Leave', exact: true }));
    await expect(there.getByText(/^This daemon is in no network\./)).toBeVisible();
    await keys.expectPage('Shared network');
    again();
    await expect(daemon(page, 'pier')).toContainText('left');
    expect(await other.project.api<NetworkStatus>('GET', '/network')).toMatchObject({ state: 'off', network: null });
  } finally {
    await other.close();
    await servers.stop();
  }
});
