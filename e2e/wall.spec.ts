import { here, lines, saveCluster, sendMessage, wall, words } from './a-cluster.js';
import { Peer } from './a-peer.js';
import { expect, expectAccessible, open, test } from './fixtures.js';
import { HOSTILE, IMAGE, LONG, SCRIPT } from './hostile/corpus.js';
import { expectHarmless } from './hostile/harmless.js';

test('a direct message reaches those who are named and nobody else, and says whom it reached', async ({
  page,
  project,
}) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  const bob = await Peer.join(project, id, 'bob', token);
  await open(page, project, `/rooms/${id}`);
  await here(page).getByRole('button', { name: 'ada' }).click();
  await expect(words(page)).toBeFocused();
  await sendMessage(page, 'The spare key is in the blue shed');
  await ada.hears('The spare key is in the blue shed');
  const told = lines(page).last();
  await expect(told).toContainText('to ada only');
  await expect(told).toContainText('Reached 1.');
  await here(page).getByRole('button', { name: 'bob' }).click();
  await sendMessage(page, 'Both of you');
  await bob.hears('Both of you');
  await expect(lines(page).last()).toContainText('to ada and bob only');
  await expect(lines(page).last()).toContainText('Reached 2.');
  expect(bob.receivedPayloads).toEqual(['Both of you']);

  bob.say('Only for you', 'operator');
  await expect(lines(page).last()).toContainText('to you only');
  await ada.settled();
  expect(ada.receivedPayloads).toEqual(['The spare key is in the blue shed', 'Both of you']);
  await expectAccessible(page);

  await here(page).getByRole('button', { name: 'bob' }).click();
  ada.leave();
  await expect(page.getByText('ada is not here now.')).toBeVisible();
  await sendMessage(page, 'Are you there?');
  await expect(lines(page).last()).toContainText('Reached 0. ada is not here, and nothing is saved.');
  await page.getByRole('button', { name: 'Message everybody' }).click();
  await expect(words(page)).toHaveAccessibleName('Message to everybody here');
});

test('a stream is one line, data is folded, pictures wait for a click, and what is elsewhere is a link', async ({
  page,
  project,
}) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, `/rooms/${id}`);
  await expect(here(page)).toContainText('ada');
  const piece = (seq: number, delta: string, done?: true) =>
    ada.say({ type: 'message', stream: 's', seq, delta, ...(done && { done }) });
  piece(1, 'light ');
  piece(0, 'The ');
  await expect(lines(page).last()).toContainText('The light');
  await expect(lines(page).last()).toContainText('is writing');
  piece(2, 'is **on**', true);
  await expect(lines(page).last()).not.toContainText('is writing');
  await expect(lines(page).last().locator('strong').filter({ hasText: 'on' })).toBeVisible();
  await expect(lines(page).filter({ hasText: 'The light' })).toHaveCount(1);

  ada.say({ type: 'offer', item: 'lamp', price: 3 });
  await lines(page)
    .last()
    .getByText(/^Data, \d+ characters$/)
    .click();
  await expect(lines(page).last().getByText('"item": "lamp"')).toBeVisible();

  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  ada.say({
    text: 'Look',
    media: [
      { mime: 'image/png', b64: png },
      { mime: 'image/png', url: 'http://evil.test/far.png' },
      { mime: 'image/svg+xml', b64: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="window.struck=1"/>') },
    ],
  });
  const files = page.getByRole('list', { name: 'Files from ada' });
  await expect(files.getByRole('listitem')).toHaveCount(3);
  await expect(page.locator('main img')).toHaveCount(0);
  await files.getByRole('button', { name: 'Show image' }).click();
  const picture = files.getByRole('img', { name: 'Attached: image/png, 70 B' });
  await expect(picture).toHaveAttribute('src', /^blob:/);
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  const far = files.getByRole('link', { name: 'http://evil.test/far.png' });
  await expect(far).toHaveAttribute('rel', /noopener/);
  await expect(files.getByRole('button', { name: 'Save file' })).toHaveCount(1);
  await expectAccessible(page);
});

test('what a program sends is only text, whatever its shape', async ({ page, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const peer = await Peer.join(project, id, IMAGE, token);
  await open(page, project, `/rooms/${id}`);
  await expect(here(page)).toContainText(IMAGE);
  const payloads: unknown[] = [
    HOSTILE,
    LONG,
    { text: `${HOSTILE}\n\n# ${IMAGE}\n\n| a | b |\n|---|---|\n| ${IMAGE} | [x](javascript:window.struck=8) |` },
    { type: SCRIPT, [IMAGE]: HOSTILE },
    {
      text: IMAGE,
      media: [
        { mime: 'text/html', url: 'javascript:window.struck=9' },
        { mime: 'text/html', b64: btoa(SCRIPT) },
      ],
    },
    { media: [{ mime: 'image/png', url: `data:image/svg+xml;base64,${btoa('<svg onload="window.struck=10"/>')}` }] },
    { type: 'message', stream: IMAGE, seq: 0, delta: HOSTILE },
    { type: 'message', stream: SCRIPT, seq: 0, delta: HOSTILE, done: true },
    '> '.repeat(7_000),
    `${'['.repeat(6_000)}${'*'.repeat(6_000)}`,
    'x'.repeat(60_000),
    '\u202E\u0000\u0007 #p_0123456789abcdef #__proto__ #constructor',
    null,
    7,
    [[[[[]]]]],
  ];
  for (const payload of payloads) peer.say(payload);
  peer.say(HOSTILE, 'operator');
  peer.say('The end of it');
  await expect(lines(page).last()).toContainText('The end of it');
  for (const fold of await wall(page).locator('summary').all()) await fold.click();
  const more = wall(page).getByRole('button', { name: /^Show all/ });
  while ((await more.count()) > 0) await more.first().click();
  await expectHarmless(page, 'the Wall');
});

test('the line is cut and comes back, with the truth about what was missed', async ({ page, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}`);
  await expect(lines(page)).toHaveCount(1);
  await words(page).fill('Half a sen');
  await project.kill('SIGKILL');
  await expect(page.getByRole('alert').filter({ hasText: 'Disconnected since' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveValue('Half a sen');
  await project.restart();
  await expect(lines(page).last()).toContainText(
    /The connection was lost \d\d:\d\d to \d\d:\d\d\. Messages from that time are not available\./,
  );
  const ada = await Peer.join(project, id, 'ada', token);
  await page.keyboard.press('Enter');
  await ada.hears('Half a sen');
  await expect(words(page)).toHaveValue('');
  await page.keyboard.press('ArrowUp');
  await expect(words(page)).toHaveValue('Half a sen');
});

test('thousands of lines are drawn only where one looks, and are followed only from the end', async ({
  page,
  project,
}) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}`);
  await expect(lines(page)).toHaveCount(1);
  const peers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => Peer.join(project, id, name, token)));
  for (const peer of peers) for (let at = 0; at < 390; at += 1) peer.say(`line ${at}`);
  await Promise.all(peers.map((peer) => peer.settled()));
  for (const peer of peers) peer.say('the last of mine');
  await expect(lines(page).filter({ hasText: 'the last of mine' })).toHaveCount(peers.length);
  await expect.poll(() => lines(page).count()).toBeLessThan(400);
  await expect
    .poll(() => wall(page).evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight))
    .toBeLessThan(2);

  await wall(page).hover();
  await page.mouse.wheel(0, -3_000);
  const pill = page.getByRole('button', { name: /↓$/ });
  await expect(pill).toBeVisible();
  const top = await wall(page).evaluate((log) => log.scrollTop);
  for (const peer of peers) peer.say('one more');
  await expect(pill).toHaveText('4 new ↓');
  expect(Math.abs((await wall(page).evaluate((log) => log.scrollTop)) - top)).toBeLessThan(2);
  await pill.click();
  await expect(lines(page).last()).toContainText('one more');
  await expect(pill).toHaveCount(0);
});

test('what is said is told to screen readers, bursts as a number, until it is muted', async ({ page, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const [ada, bob] = [await Peer.join(project, id, 'ada', token), await Peer.join(project, id, 'bob', token)];
  await open(page, project, `/rooms/${id}`);
  await expect(here(page)).toContainText('bob');
  const spoken = page.locator('main p[aria-live=polite]');
  ada.say('Good morning');
  await expect(spoken).toHaveText('ada: Good morning');
  ada.say('One');
  bob.say('Two');
  bob.say('Three');
  await expect(spoken).toHaveText('3 new from 2 people in Harbour crew');
  const muted = page.getByRole('checkbox', { name: /Mute announcements/ });
  await page.route('**/preferences', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await muted.click();
  await expect(page.getByText(/^The preference was not saved\./)).toBeVisible();
  await expect(muted).not.toBeChecked();
  await page.unroute('**/preferences');
  await muted.check();
  await expect(spoken).toHaveCount(0);
});
