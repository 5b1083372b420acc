import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientList } from '../daemon/contract/clients.js';
import type { Conversation } from '../daemon/contract/conversations.js';
import type { MemberDetail } from '../daemon/contract/team.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const NOTICE = 'No model connected: search only.';
const ROADMAP = { '.mesh/roadmap.md': '# Plan\n\n- [ ] angle: set the angle @developer\n' };
const KEY = 'stand-in-key-7Yq2';
const PHONE = { width: 360, height: 740 };

const ACP = fileURLToPath(new URL('../daemon/testing/stand-ins/scripted-acp-agent.mjs', import.meta.url));

/** A folder of the PATH with the program `opencode`, which says what the test sets. */
function programFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-e2e-path-'));
  const [script, bin] = [join(folder, 'scenario.json'), join(folder, 'bin')];
  const plays = (...steps: object[]) => writeFileSync(script, JSON.stringify({ steps }));
  return {
    bin,
    plays,
    // A worker may run several tests of this file, each between its own `create` and `close`.
    create() {
      mkdirSync(bin, { recursive: true });
      plays({ text: 'ready' });
      const program = join(bin, 'opencode');
      writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${ACP}' '${script}'\n`);
      chmodSync(program, 0o755);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const agents = programFolder();
test.beforeAll(() => agents.create());
test.afterAll(() => agents.close());

test.describe('without a model', () => {
  test.use({ files: ROADMAP });

  test('each page says so, a member that works offers the search, and Home can hide it', async ({ page, project }) => {
    const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'developer' });
    for (const path of ['/team', '/team/developer', '/roadmap', '']) {
      await open(page, project, path);
      await expect(page.getByText(NOTICE)).toBeVisible();
    }
    await expectAccessible(page);
    // The roadmap does not start, says why, and leads to the page where a model is connected.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Roadmap' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const refused = page.locator('main header');
    await expect(refused.getByText('The roadmap was not started.')).toBeVisible();
    await expectAccessible(page);
    await refused.getByRole('link', { name: 'Connect a model' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Connect a model' })).toBeVisible();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await page.getByRole('button', { name: 'Hide on Home' }).click();
    await expect(page.getByText(NOTICE)).toBeHidden();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Needs you' })).toBeVisible();
    await expect(page.getByText(NOTICE)).toBeHidden();

    await open(page, project, `/talk/${conv}`);
    await expect(page.getByText('This member works on tasks and starts once a model is connected.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Message to Developer' }).fill('When do the lights go on?');
    await page.keyboard.press('Enter');
    const search = page.getByRole('button', { name: 'Search instead' });
    await expect(search).toBeVisible();
    await expect(page.getByText('It cannot work yet, because no model is connected')).toBeVisible();
    await expect(page.getByText('DUSK_ANGLE_DEGREES')).toBeHidden();
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await tabTo(page, search);
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(new RegExp(conv));
    await expect(page.getByText(NOTICE)).toBeVisible();
    await expect(page.getByRole('log')).toContainText('dusk');
  });
});

test.describe('a program that is found', () => {
  test.use({ machine: { PATH: `${agents.bin}:${process.env['PATH']}` }, files: ROADMAP });

  test('is tested, fails with the reason, is stopped, passes, and serves all members', async ({ page, project }) => {
    await open(page, project);
    await page.getByRole('link', { name: 'Connect a model' }).click();
    const way = page.getByRole('region', { name: 'A program on this machine' });
    await expect(way.getByRole('radio', { name: 'OpenCode' })).toBeChecked();
    await expect(way.getByRole('radio', { name: 'Gemini CLI' })).toBeDisabled();
    await expectAccessible(page);
    const [testIt, use] = [
      way.getByRole('button', { name: 'Test', exact: true }),
      way.getByRole('button', { name: /^Use/ }),
    ];

    agents.plays({ exit: 3 });
    await tabTo(page, testIt);
    await page.keyboard.press('Enter');
    await expect(way.getByText('It did not answer.')).toBeVisible();
    await expectAccessible(page);

    agents.plays({ text: 'Wait.' }, { until: '/nowhere/at/all' });
    await testIt.click();
    await expect(way.getByText('Answering.')).toBeVisible();
    await way.getByRole('button', { name: 'Stop' }).click();
    await expect(way.getByText('You stopped the test.')).toBeVisible();
    await expect(use).toBeDisabled();

    agents.plays({ text: 'ready' });
    await testIt.click();
    await expect(way.getByText('It works.')).toBeVisible();
    await use.click();
    await expect(page.getByText('Members on auto run on acp.')).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);

    await open(page, project, '/roadmap');
    await expect(page.getByRole('heading', { name: 'Tasks' })).toBeVisible();
    await expect(page.getByText(NOTICE)).toBeHidden();
    expect((await project.api<ClientList>('GET', '/clients')).auto).toBe('acp');
    expect(await project.meshd('clients', 'ls')).toMatch(/^acp \* +ready/m);
  });
});

test('an endpoint is used for one member, and its key is on no page', async ({ page, project }) => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') seen.push(request.headers.authorization);
    response.setHeader('content-type', request.method === 'POST' ? 'text/event-stream' : 'application/json');
    const part = (delta: object, end: string | null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
    response.end(
      request.method === 'POST'
        ? `${part({ role: 'assistant', content: 'ready' }, null)}${part({}, 'stop')}data: [DONE]\n\n`
        : JSON.stringify({ data: [{ id: 'stand-in-1' }] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await open(page, project, '/models');
    const way = page.getByRole('region', { name: 'An endpoint with a key' });
    await way.getByLabel('It speaks').selectOption('openai-compatible');
    await way.getByLabel('Address').fill(`http://127.0.0.1:${port}/v1`);
    await way.getByLabel('Model').fill('stand-in-1');
    await way.getByLabel('Key').fill(KEY);
    await way.getByRole('button', { name: 'Test', exact: true }).click();
    await expect(way.getByText('It works.')).toBeVisible();
    await way.getByLabel('Use for').selectOption('developer');
    await way.getByRole('button', { name: /^Use/ }).click();
    await expect(page.getByText('A model is connected for members that name it.')).toBeVisible();
    await expect(way.getByLabel('Key')).toHaveValue('');
    expect(seen).toEqual([`Bearer ${KEY}`]);
    expect(await page.content()).not.toContain(KEY);
    expect((await project.api<MemberDetail>('GET', '/team/developer')).client_resolved).toBe('api');
    const file = join(project.root, '.mesh/credentials/clients.json');
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8').includes(KEY)]).toEqual([0o600, true]);

    const ollama = page.getByRole('region', { name: 'Ollama on this machine' });
    await ollama.getByLabel('Port on 127.0.0.1').fill(String(port));
    await ollama.getByRole('button', { name: 'Show models' }).click();
    await expect(ollama.getByLabel('Model')).toHaveValue('stand-in-1');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Forget the choice and the key' }).click();
    await expect(page.getByText('No model connected: search only.')).toBeVisible();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
