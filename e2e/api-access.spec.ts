import { execFile } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from '@playwright/test';
import type { RequestList } from '../daemon/contract/asks.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

const run = promisify(execFile);
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));
const TSX = createRequire(import.meta.url).resolve('tsx/cli');

test.use({
  permissions: ['clipboard-read', 'clipboard-write'],
  // The file that the member's first example asks about. External programs get only what git tracks.
  files: {
    'docs/import.md':
      '# Import\n\nThe import fails on files with a byte order mark: its test reads one that has none.\n',
  },
});

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function copySnippet(
  page: Page,
  language: string,
  { way, block }: { way?: string; block?: string } = {},
): Promise<string> {
  await page.getByRole('tab', { name: language, exact: true }).click();
  const panel = page.getByRole('tabpanel', { name: language, exact: true });
  if (way !== undefined) await panel.getByRole('button', { name: way }).click();
  const figure = block === undefined ? panel : panel.getByRole('figure').filter({ hasText: block });
  await figure.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await expect(figure.getByRole('button', { name: 'Copied' })).toBeVisible();
  return copied(page);
}

async function copyToken(page: Page): Promise<string> {
  await page.getByRole('region', { name: 'Token' }).getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByRole('region', { name: 'Token' }).getByRole('button', { name: 'Copied' })).toBeVisible();
  return copied(page);
}

/** Submits an ask with `token` and returns the status. */
async function knock(project: Project, member: string, token: string): Promise<number> {
  const response = await fetch(`${project.address}/team/${member}/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"text":"Which port does it listen on?"}',
  });
  return response.status;
}

async function newest(project: Project): Promise<RequestList['requests'][number] | undefined> {
  return (await project.api<RequestList>('GET', '/requests?limit=1')).requests[0];
}

test('a member is exposed, and what that makes reachable is listed', async ({ page, project }) => {
  await open(page, project, '/team/developer?tab=access');
  const exposed = page.getByRole('switch', { name: 'Internal' });
  await expect(exposed).toHaveAttribute('aria-checked', 'false');
  await expect(page.getByRole('region', { name: 'What would be reachable' })).toContainText(
    `POST ${project.address}/team/developer/ask`,
  );
  await expect(page.getByRole('region', { name: 'Token' })).toHaveCount(0);
  await expectAccessible(page);
  await exposed.click();
  await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toHaveAttribute(
    'aria-checked',
    'true',
  );
  await expect(page.getByText('Developer is exposed to programs on this machine that have its token.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'What is reachable' }).getByRole('listitem')).toHaveCount(3);
  const token = page.getByRole('region', { name: 'Token' });
  await expect(token.getByText(/^••••/)).toBeVisible();
  await expect(token.getByText(/mk_/)).toHaveCount(0);
  await token.getByRole('button', { name: 'Show' }).click();
  await expect(token.getByText(/^mk_[\w-]{43}$/)).toBeVisible();
  await token.getByRole('button', { name: 'Hide' }).click();
  await expect(token.getByText(/mk_/)).toHaveCount(0);
  await expectAccessible(page);
  expect(project.read('.mesh/team/developer.md')).toContain('exposure: external');
});

test.describe('what is copied works as it is', () => {
  test.beforeEach(async ({ page, project }) => {
    // Without a model only a member that does not work answers.
    await project.api('PATCH', '/team/developer', { tools: ['read', 'search'] });
    await open(page, project, '/team/developer?tab=access');
    await page.getByRole('switch').click();
    await expect(page.getByRole('region', { name: 'Token' })).toBeVisible();
  });

  test('curl, in a shell', async ({ page, project }) => {
    const snippet = await copySnippet(page, 'curl');
    expect(snippet).not.toContain('mk_');
    const { stdout } = await run('bash', ['-euc', snippet], {
      env: { ...process.env, DEVELOPER_TOKEN: await copyToken(page) },
    });
    expect(stdout).toMatch(/\S/);
    const request = await newest(project);
    expect(request).toMatchObject({
      member: 'developer',
      status: 'done',
      caller: { user_agent: expect.stringMatching(/^curl\//) },
    });
    expect(request?.citations_checked).toBeGreaterThan(0);

    await page.getByRole('tabpanel').getByRole('button', { name: 'Copy with token' }).click();
    await expect.poll(() => copied(page)).toContain('mk_');
    const { DEVELOPER_TOKEN: _, ...bare } = process.env;
    expect((await run('bash', ['-euc', await copied(page)], { env: bare })).stdout).toBe(stdout);
  });

  test('TypeScript, in Node', async ({ page, project }) => {
    const snippet = await copySnippet(page, 'TypeScript');
    await expectAccessible(page);
    expect(snippet).not.toContain('mk_');
    project.write('ask.mts', snippet);
    const { stdout } = await run(process.execPath, [TSX, join(project.root, 'ask.mts')], {
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        DEVELOPER_TOKEN: await copyToken(page),
      },
    });
    expect(stdout).toMatch(/\S/);
    expect(await newest(project)).toMatchObject({ member: 'developer', status: 'done' });
    expect((await newest(project))?.citations_checked).toBeGreaterThan(0);
  });

  test('Python, in Python', async ({ page, project }) => {
    const snippet = await copySnippet(page, 'Python');
    expect(snippet).not.toContain('mk_');
    const { stdout } = await run('python3', ['-c', snippet], {
      env: { ...process.env, DEVELOPER_TOKEN: await copyToken(page) },
    });
    expect(stdout).toMatch(/\S/);
    expect(await newest(project)).toMatchObject({
      member: 'developer',
      status: 'done',
      caller: { user_agent: expect.stringMatching(/^Python-urllib\//) },
    });
  });

  test('A2A, in a shell', async ({ page, project }) => {
    const snippet = await copySnippet(page, 'A2A');
    expect(snippet).not.toContain('mk_');
    await expectAccessible(page);
    const env = { ...process.env, DEVELOPER_TOKEN: await copyToken(page) };
    const { stdout } = await run('bash', ['-euc', snippet], { env });
    expect(stdout.trim().length).toBeGreaterThan(20);
    expect(stdout).not.toBe('null\n');
    expect(await newest(project)).toMatchObject({
      member: 'developer',
      status: 'done',
      caller: { user_agent: expect.stringMatching(/^curl\//) },
    });
    // Pasting it again submits another ask.
    await run('bash', ['-euc', snippet], { env });
    expect((await project.api<RequestList>('GET', '/requests')).count).toBe(2);
  });

  test('A2A, with the official SDK', async ({ page, project }) => {
    const snippet = await copySnippet(page, 'A2A', { way: 'JavaScript, official SDK', block: 'save as ask.mjs' });
    expect(snippet).not.toContain('mk_');
    project.write('ask.mjs', snippet);
    symlinkSync(MODULES, join(project.root, 'node_modules'));
    const { stdout } = await run(process.execPath, [join(project.root, 'ask.mjs')], {
      env: { ...process.env, DEVELOPER_TOKEN: await copyToken(page) },
    });
    expect(stdout.trim().length).toBeGreaterThan(20);
    expect(await newest(project)).toMatchObject({ member: 'developer', status: 'done' });
  });

  test('MCP, as a tool’s configuration says it', async ({ page, project }) => {
    const config = JSON.parse(await copySnippet(page, 'MCP', { way: 'Claude Code', block: '.mcp.json' }));
    const { url, headers } = config.mcpServers['meshd-developer'] as { url: string; headers: Record<string, string> };
    const exported = await copySnippet(page, 'MCP', { block: 'First, in the shell' });
    expect(exported).toMatch(/^export DEVELOPER_TOKEN="\$\((?:meshd|node \S+) token show developer --root \S+\)"$/);
    await expectAccessible(page);
    const token = await copyToken(page);
    const authorization = headers['Authorization']?.replace(/\$\{DEVELOPER_TOKEN\}/, token) ?? '';
    const overHttp = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });

    const stdio = JSON.parse(await copySnippet(page, 'MCP', { way: 'VS Code', block: 'without any token' }));
    const { command, args } = stdio.servers['meshd-developer'] as { command: string; args: string[] };
    // Where no `meshd` is on the PATH, the configuration names the program that serves the page.
    const isInstalled = command === 'meshd';
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    expect(isInstalled).toBe(folders.some((folder) => existsSync(join(folder, 'meshd'))));
    const overPipes = new StdioClientTransport({
      command: isInstalled ? process.execPath : command,
      args: isInstalled ? [project.commandLine, ...args] : args,
      cwd: '/',
    });

    for (const transport of [overHttp, overPipes]) {
      const client = new Client({ name: 'harbour-clock', version: '2.1' });
      await client.connect(transport);
      const { tools } = await client.listTools();
      const ask = tools.find(({ name }) => name.startsWith('ask_'));
      expect(ask?.name).toBe('ask_developer');
      await client.close();
    }
  });

  test('the card, which needs no token', async ({ page }) => {
    const snippet = await copySnippet(page, 'A2A card');
    const { stdout } = await run('bash', ['-euc', snippet]);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Developer' });
    expect(stdout).not.toContain('mk_');
    await expect(page.getByRole('figure').filter({ hasText: 'agent.json as it is served now' })).toContainText(
      '"name": "Developer"',
    );
    await expectAccessible(page);
  });
});

test('“Try it” sends the same request to the same member API', async ({ page, project }) => {
  await open(page, project, '/team/consultant?tab=access');
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('textbox', { name: 'Question for Consultant' }).fill('Which port does it listen on?');
  await trial.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(trial.getByText('answered', { exact: true })).toBeVisible();
  await expect(
    trial.getByRole('list', { name: 'Citations' }).getByText('quote verified', { exact: true }).first(),
  ).toBeVisible();
  await trial.getByRole('link', { name: /^req-/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ask to Consultant' })).toBeVisible();
});

test('a rotated token is dead at once, and the page says so before and after', async ({ page, project }) => {
  await open(page, project, '/team/consultant?tab=access');
  const old = await copyToken(page);
  expect(await knock(project, 'consultant', old)).toBe(202);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate the token' });
  await expect(dialog).toContainText('The old token stops working now. 1 caller used it in the last hour.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await expect(page.getByText('Consultant has a new token. The old one no longer works.')).toBeVisible();
  expect(await knock(project, 'consultant', old)).toBe(401);
  await expect(page.getByRole('region', { name: 'Token' }).getByText(`••••${old.slice(-4)}`)).toHaveCount(0);
  const fresh = await copyToken(page);
  expect(fresh).not.toBe(old);
  expect(await knock(project, 'consultant', fresh)).toBe(202);
});

test('a revoked token ends the exposure, and exposing it again mints another', async ({ page, project }) => {
  await open(page, project, '/team/consultant?tab=access');
  const old = await copyToken(page);
  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke the token' });
  await expect(dialog).toContainText('Revoking makes it internal');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Consultant is internal. Its token no longer works.')).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Internal' })).toBeVisible();
  expect(await knock(project, 'consultant', old)).toBe(401);
  await page.getByRole('button', { name: 'Expose again' }).click();
  await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toBeVisible();
  expect(await knock(project, 'consultant', old)).toBe(401);
  expect(await knock(project, 'consultant', await copyToken(page))).toBe(202);
});

test('the token stands in no address and is kept by no browser', async ({ page, project }) => {
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  await open(page, project, '/team/consultant?tab=access');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByRole('region', { name: 'Try it' }).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Try it' }).getByText('answered', { exact: true })).toBeVisible();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Requests' }).click();
  await expect(page.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(1);
  const token = await project.token('consultant');
  expect(token).toMatch(/^mk_/);
  expect(addresses.filter((address) => address.includes('mk_'))).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect(kept).not.toContain('mk_');
});
