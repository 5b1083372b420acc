import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogLines, Versions } from '../../contract/system.js';
import { testApp } from '../../testing/apps/test-app.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { parseLogLine } from './daemon-log.js';

const line = (level: number, msg: string, more: object = {}) =>
  `${JSON.stringify({ level, time: 1_700_000_000_000, ...more, msg })}\n`;

describe('Log', () => {
  it('is read from its end, filtered by level, newest line last', async () => {
    const app = await testApp();
    const path = join(app.root, '.mesh/state/daemon.log');
    expect((await app.call('GET', '/logs')).body).toEqual({ path: '.mesh/state/daemon.log', lines: [] });
    writeFileSync(
      path,
      line(30, 'listening', { root: app.root }) + line(40, 'a seat was lost') + line(50, 'a turn failed'),
    );
    const { lines } = (await app.call('GET', '/logs?level=warn')).body as LogLines;
    expect(lines.map(({ level, text }) => [level, text])).toEqual([
      ['warn', 'a seat was lost'],
      ['error', 'a turn failed'],
    ]);
    expect(((await app.call('GET', '/logs?limit=1')).body as LogLines).lines.map(({ text }) => text)).toEqual([
      'a turn failed',
    ]);
    expect((await app.call('GET', '/logs?limit=0')).status).toBe(400);
    expect((await app.call('GET', '/logs?level=loud')).status).toBe(400);
  });

  it('is filtered by area, text and time', async () => {
    const app = await testApp();
    const at = (minute: number) => ({ time: Date.UTC(2026, 10, 21, 12, minute) });
    writeFileSync(
      join(app.root, '.mesh/state/daemon.log'),
      line(40, 'Member lamp: odd', { ...at(1), area: 'team' }) +
        line(50, 'request failed', { ...at(2), reqId: 'req-1', err: { stack: 'Error: No LAMP' } }) +
        line(30, 'listening', at(3)) +
        line(40, 'odd', { ...at(4), area: 'of no such name' }),
    );
    const find = async (query: string) =>
      ((await app.call('GET', `/logs?${query}`)).body as LogLines).lines.map(({ area, text }) => [area, text]);
    expect(await find('area=team')).toEqual([['team', 'Member lamp: odd']]);
    expect(await find('area=http')).toEqual([['http', 'request failed']]);
    expect((await find('area=daemon')).map(([, text]) => text)).toEqual(['listening', 'odd']);
    expect((await find('q=lamp')).map(([area]) => area)).toEqual(['team', 'http']);
    expect(await find('since=2026-11-21T12:02:00Z&until=2026-11-21T12:04:00Z&level=error')).toEqual([
      ['http', 'request failed'],
    ]);
    expect(await app.call('GET', '/logs?since=lately')).toMatchObject({ status: 400, body: { path: 'since' } });
  });

  it('names the area of each line that the daemon writes', async () => {
    const app = await testApp({
      files: { 'README.md': '# Lamp\n', '.mesh/team/lamp.md': '---\nname: Lamp\nexposure: external\n---\nShine.\n' },
    });
    writeFileSync(join(app.root, '.mesh/state/daemon.log'), app.log.join(''));
    const { lines } = (await app.call('GET', '/logs')).body as LogLines;
    expect(lines.map(({ area, text }) => [area, text])).toContainEqual(['daemon', 'listening']);
    expect(
      lines
        .filter(({ area }) => area === 'team')
        .map(({ text }) => text)
        .join(),
    ).toContain('lamp');
  });

  it('continues in the previous file after a rotation', async () => {
    const app = await testApp();
    const path = join(app.root, '.mesh/state/daemon.log');
    writeFileSync(`${path}.1`, line(30, 'older'));
    writeFileSync(path, line(30, 'newer'));
    const { lines } = (await app.call('GET', '/logs')).body as LogLines;
    expect(lines.map(({ text }) => text)).toEqual(['older', 'newer']);
  });

  it('accepts lines of any format and redacts secrets', () => {
    const secret = `mk_${'A'.repeat(40)}`;
    expect(parseLogLine('not JSON')).toEqual({ at: null, level: 'info', area: 'daemon', text: 'not JSON' });
    expect(parseLogLine('[1]')).toMatchObject({ text: '[1]' });
    expect(parseLogLine('{"level":"high","time":1e300}')).toMatchObject({ at: null, level: 'info', text: 'no words' });
    const failed = parseLogLine(
      line(50, `refused ${secret}`, { err: { message: 'x', stack: `Error: ${secret}\n    at y` }, port: 4747 }),
    );
    expect(failed).toMatchObject({ at: '2023-11-14T22:13:20.000Z', level: 'error', text: 'refused [redacted]' });
    expect(failed.details).toBe('Error: [redacted]\n    at y\n{"port":4747}');
  });
});

describe('Support bundle', () => {
  it('contains diagnostic data, but no secrets, member content, project path or home folder', async () => {
    const root = temporaryFolder({ 'README.md': '# Lamp\n' });
    const home = temporaryFolder();
    const app = await testApp({ root, env: { HOME: home } });
    const token = await app.getToken('consultant');
    await app.ask('consultant', { text: 'Where does the treasure lie?' });
    writeFileSync(join(root, '.mesh/team/odd.md'), '---\nname: [\n---\nThe prompt of the odd one.\n');
    const log = line(50, `could not open ${root}/x with ${token}`) + line(50, `could not read ${home}/.netrc`);
    appendFileSync(join(root, '.mesh/state/daemon.log'), log);
    await app.call('GET', '/team');

    const { status, headers, body } = await app.call('GET', '/support-bundle');
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="meshd-support.json"');
    expect(body).toMatchObject({
      versions: { meshd: '0.0.0-test', node: process.version },
      health: { store: 'ok', members_broken: 1 },
      doctor: { checks: expect.arrayContaining([expect.objectContaining({ id: 'members', state: 'warn' })]) },
      members: expect.arrayContaining([expect.objectContaining({ id: 'odd', state: 'broken' })]),
      registrations: [expect.objectContaining({ member: 'consultant' })],
      log: [
        expect.objectContaining({ text: 'could not open <project>/x with [redacted]' }),
        expect.objectContaining({ text: 'could not read <home>/.netrc' }),
      ],
    });
    const text = JSON.stringify(body);
    for (const kept of [token, token.slice(3), root, home, 'treasure', 'The prompt of'])
      expect(text).not.toContain(kept);
  });
});

describe('Versions and licences', () => {
  it('report the running versions', async () => {
    const app = await testApp();
    expect((await app.call('GET', '/versions')).body as Versions).toMatchObject({
      meshd: '0.0.0-test',
      node: process.version,
      sqlite: expect.stringMatching(/^3\.\d+/),
      platform: `${process.platform} ${process.arch}`,
      revision: 30,
    });
    expect((await app.call('GET', '/licenses')).status).toBe(404);
  });
});
