import { existsSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemberTests } from '../../contract/member-tests.js';
import type { AgentCard, PublicCard } from '../../contract/network/card.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { MemberDetail } from '../../contract/team.js';
import {
  BLOCKING,
  event,
  FAILING,
  finish,
  getTestFilePath,
  member,
  put,
  read,
  refusal,
  TESTS,
} from '../../testing/apps/member-testing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

/** Without a model only a member that does not work answers. */
const ANSWERS = { tools: ['read', 'search'] };

describe('blocks_exposure', () => {
  it('keeps a member internal until the last run passed for its current file and tests', async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/developer', ANSWERS);
    const open = () => app.call('PATCH', '/team/developer', { exposure: 'external' });
    const { revision } = (await put(app, 'developer', BLOCKING(FAILING))).body as MemberTests;
    const never = await open();
    expect([never.status, refusal(never).error]).toEqual([409, 'tests_failed']);
    expect(refusal(never).message).toContain('`meshd team test developer`');
    expect((await finish(app, 'developer')).holds_door).toBe(true);
    expect(refusal(await open()).message).toMatch(/^1 of 3 tests of `developer` failed/);
    await put(app, 'developer', BLOCKING(TESTS), revision);
    expect(refusal(await open()).message).toContain('have changed since they ran');
    expect((await finish(app, 'developer')).holds_door).toBe(false);
    await app.call('PATCH', '/team/developer', { description: 'Another one.' });
    expect(refusal(await open()).error).toBe('tests_failed');
    await finish(app, 'developer');
    const opened = await open();
    expect([opened.status, (opened.body as MemberDetail).token]).toEqual([200, expect.stringMatching(/^mk_/)]);
    // The exposure is not part of what was tested.
    expect((await read(app, 'developer')).last_run).toMatchObject({ current: true, passed: 2 });
  });

  it('does not hide an exposed member, whose cards report the test results', async () => {
    const app = await testApp();
    const card = async () => (await app.call('GET', '/team/consultant/.well-known/agent.json')).body as PublicCard;
    const strict = async () =>
      (await app.call('GET', '/team/consultant/.well-known/agent-card.json', undefined, { 'a2a-version': '1.0' }))
        .body as AgentCard;
    expect(await card()).not.toHaveProperty('tests');
    expect((await strict()).capabilities).not.toHaveProperty('extensions');
    await put(app, 'consultant', BLOCKING(FAILING));
    expect((await card()).tests).toEqual({ passed: 0, failed: 0, at: null, current: false });
    const { version } = await card();
    const { last_run } = await finish(app, 'consultant');
    const testStatus = { passed: 2, failed: 1, at: last_run?.at, current: true };
    expect(await card()).toMatchObject({ tests: testStatus, version });
    expect((await strict()).capabilities['extensions']).toEqual([
      { uri: 'urn:meshd:contract-tests', description: expect.any(String), required: false, params: testStatus },
    ]);
    expect(await member(app, 'consultant')).toMatchObject({
      exposure: 'external',
      token: expect.stringMatching(/^mk_/),
    });
    expect((await app.ask('consultant', { text: 'On which port does it listen?' })).status).toBe('queued');
    expect((await app.call('PATCH', '/team/consultant', { exposure: 'external' })).status).toBe(200);
    await app.call('PATCH', '/team/consultant', { description: 'Another one.' });
    expect((await card()).tests).toMatchObject({ current: false });
  });

  it('holds a member that an edit on disk exposes, with a warning, and exposes it when its tests pass', async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/developer', ANSWERS);
    await put(app, 'developer', BLOCKING(TESTS));
    const path = join(app.root, '.mesh/team/developer.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---\n/, '---\nexposure: external\n'));
    expect(await member(app, 'developer')).toMatchObject({ exposure_hold: 'agreement' });
    expect(refusal(await app.call('POST', '/team/developer/expose')).error).toBe('tests_failed');
    const held = await member(app, 'developer');
    expect(held).toMatchObject({
      exposure: 'external',
      exposure_hold: 'tests',
      warnings: [{ path: 'exposure', reason: expect.stringContaining('meshd team test developer') }],
    });
    expect(held).not.toHaveProperty('token');
    expect((await app.call('GET', '/team/developer/.well-known/agent.json')).status).toBe(404);
    expect(await read(app, 'developer')).toMatchObject({ holds_door: true });
    // A request for the exposure that the file already states is refused, not silently accepted. Other edits succeed.
    expect(refusal(await app.call('PATCH', '/team/developer', { exposure: 'external' })).error).toBe('tests_failed');
    expect((await app.call('PATCH', '/team/developer', { emoji: '🔧' })).status).toBe(200);

    const opened = event(app, 'team.exposed', 'developer');
    await finish(app, 'developer');
    await opened;
    const open = await member(app, 'developer');
    expect(open.token).toMatch(/^mk_/);
    expect(open).not.toHaveProperty('warnings');
    expect((await app.call('GET', '/team/developer/.well-known/agent.json')).status).toBe(200);
    expect(
      ((await app.call('GET', '/registrations')).body as SelfRegistrationList).registrations.map((one) => one.member),
    ).toContain('developer');
  });

  it('holds a member that is exposed together with the arrival of its tests, as by a checkout', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    mkdirSync(join(app.root, '.mesh/asks'));
    writeFileSync(getTestFilePath(app, 'developer'), BLOCKING(TESTS));
    const path = join(app.root, '.mesh/team/developer.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---\n/, '---\nexposure: external\n'));
    const held = await member(app, 'developer');
    expect(held).toMatchObject({ exposure: 'external', warnings: [{ path: 'exposure' }] });
    expect(held).not.toHaveProperty('token');
    expect((await app.call('POST', '/team', { id: 'porter', exposure: 'external', body: 'x' })).status).toBe(201);
    writeFileSync(getTestFilePath(app, 'harbour'), BLOCKING(TESTS));
    const refused = await app.call('POST', '/team', { id: 'harbour', exposure: 'external', body: 'x' });
    expect([refused.status, refusal(refused).error]).toEqual([409, 'tests_failed']);
    expect(existsSync(join(app.root, '.mesh/team/harbour.md'))).toBe(false);
  });

  it('remains in effect while the tests are away or empty, until the operator does without them', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    await put(app, 'developer', BLOCKING(FAILING));
    const path = join(app.root, '.mesh/team/developer.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---\n/, '---\nexposure: external\n'));
    expect(refusal(await app.call('POST', '/team/developer/expose')).error).toBe('tests_failed');
    const file = getTestFilePath(app, 'developer');
    const changed = async (change: () => void) => {
      change();
      await read(app, 'developer');
      return member(app, 'developer');
    };
    for (const change of [
      () => renameSync(file, `${file}.away`),
      () => renameSync(`${file}.away`, file),
      () => writeFileSync(file, ''),
      () => writeFileSync(file, BLOCKING(FAILING)),
    ]) {
      const held = await changed(change);
      expect(held).toMatchObject({ exposure_hold: 'tests' });
      expect(held).not.toHaveProperty('token');
    }
    const { warnings } = await changed(() => unlinkSync(file));
    expect(JSON.stringify(warnings)).toContain('are gone from .mesh/asks/developer.md. `meshd team expose developer`');
    expect((await app.call('POST', '/team/developer/expose')).status).toBe(200);
    expect((await member(app, 'developer')).token).toMatch(/^mk_/);
  });

  it('remains in effect after a restart, and ends when the tests no longer block', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    await put(app, 'developer', BLOCKING(TESTS));
    const path = join(app.root, '.mesh/team/developer.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---\n/, '---\nexposure: external\n'));
    expect(await member(app, 'developer')).not.toHaveProperty('token');
    expect(refusal(await app.call('POST', '/team/developer/expose')).error).toBe('tests_failed');
    await app.stop();
    const again = await testApp({ root: app.root, clients: [new ScriptedAgent('acp', heldAnswer)] });
    expect(await member(again, 'developer')).not.toHaveProperty('token');
    const opened = event(again, 'team.exposed', 'developer');
    writeFileSync(getTestFilePath(again, 'developer'), TESTS);
    await opened;
    expect((await member(again, 'developer')).token).toMatch(/^mk_/);
  });
});
