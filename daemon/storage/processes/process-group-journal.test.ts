import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../testing/stand-ins/stand-in.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ProcessGroupJournal } from './process-group-journal.js';
import { bootId, getStartTime } from './process-group-table.js';

function aJournal() {
  const state = temporaryFolder();
  const runs = join(state, 'runs');
  const leave = (name: string, entry: unknown) => {
    mkdirSync(runs, { recursive: true, mode: 0o700 });
    writeFileSync(join(runs, name), typeof entry === 'string' ? entry : JSON.stringify(entry), { mode: 0o600 });
  };
  return { journal: new ProcessGroupJournal(state), runs, leave };
}

/** Starts a program in a group of its own, as an earlier daemon may have left it. */
async function aStray(environment: Record<string, string> = {}) {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
  const pid = child.pid as number;
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const startTime = getStartTime(pid);
  return { pid, ended, entry: { run: 'r', pid, pgid: pid, start_time: startTime, boot_id: bootId() } };
}

it('keeps one file for each run, which only the user can read, until the run ends', async () => {
  const { journal, runs } = aJournal();
  const entry = { run: 'r', pid: 70, pgid: 70, start_time: null, boot_id: null };
  await journal.write(entry);
  expect([readdirSync(runs), statSync(runs).mode & 0o777]).toEqual([['70'], 0o700]);
  expect(statSync(join(runs, '70')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(runs, '70'), 'utf8')).toBe(`${JSON.stringify(entry)}\n`);
  await journal.remove(71);
  await journal.remove(70);
  expect(readdirSync(runs)).toEqual([]);
});

it('ends what an earlier daemon left, once', async () => {
  const { journal, leave, runs } = aJournal();
  const [one, other] = [await aStray(), await aStray()];
  for (const { pid, entry } of [one, other]) leave(String(pid), entry);
  expect(await journal.reap()).toBe(2);
  expect([await one.ended, await other.ended]).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  expect([readdirSync(runs), await journal.reap()]).toEqual([[], 0]);
});

it.each<[string, (entry: Record<string, unknown>) => unknown]>([
  ['of another group', (entry) => ({ ...entry, pgid: 4_000_000 })],
  ['without a run', ({ run, ...entry }) => entry],
  ['with an empty run', (entry) => ({ ...entry, run: '' })],
  ['with a run that is no text', (entry) => ({ ...entry, run: 7 })],
  ['without a pid', ({ pid, ...entry }) => entry],
  ['with a pid that is no whole number', (entry) => ({ ...entry, pid: 1.5 })],
  ['with a group that is no number', (entry) => ({ ...entry, pgid: String(entry['pgid']) })],
  ['with another start', (entry) => ({ ...entry, start_time: '1' })],
  ['with a start that is no text', (entry) => ({ ...entry, start_time: Number(entry['start_time']) })],
  ['of another boot', (entry) => ({ ...entry, boot_id: 'another' })],
  ['of an unknown boot', (entry) => ({ ...entry, boot_id: 7 })],
  ['that is cut off', (entry) => JSON.stringify(entry).slice(0, -1)],
])('ends nothing for a record %s, and removes it', async (_, change) => {
  const { journal, leave, runs } = aJournal();
  const { pid, entry } = await aStray();
  leave(String(pid), change(entry));
  expect([await journal.reap(), isAlive(pid), readdirSync(runs)]).toEqual([0, true, []]);
});

it('ends a group whose leader has ended by what carries the variable of the run', async () => {
  const { journal, leave } = aJournal();
  const { pid, ended, entry } = await aStray({ MESHD_RUN: 'that-run' });
  // The program has its environment a moment after it was started.
  await expect.poll(() => readFileSync(`/proc/${pid}/environ`, 'latin1')).toContain('MESHD_RUN=that-run');
  leave(String(pid), { ...entry, run: 'that-run', start_time: null });
  expect(await journal.reap()).toBe(1);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

it.each(['0', '012', '12345678901', '-5', '5x', 'x5', ''])('leaves a file that is no record: %j', async (name) => {
  const { journal, leave, runs } = aJournal();
  const file = name === '' ? '.tmp' : name;
  leave(file, '{}');
  leave('1234567890', '{}');
  expect([await journal.reap(), readdirSync(runs)]).toEqual([0, [file]]);
});

it('ends nothing for a record of the group that would be every process, although the run has one left', async () => {
  const { journal, leave, runs } = aJournal();
  const { pid, entry } = await aStray({ MESHD_RUN: 'that-run' });
  await expect.poll(() => readFileSync(`/proc/${pid}/environ`, 'latin1')).toContain('MESHD_RUN=that-run');
  leave('1', { ...entry, run: 'that-run', pgid: 1, start_time: null });
  expect([await journal.reap(), isAlive(pid), readdirSync(runs)]).toEqual([0, true, []]);
});

it('ends nothing for a record that is a link, and removes it', async () => {
  const { journal, leave, runs } = aJournal();
  const { pid, entry } = await aStray();
  leave('record', entry);
  symlinkSync('record', join(runs, String(pid)));
  expect([await journal.reap(), isAlive(pid), readdirSync(runs)]).toEqual([0, true, ['record']]);
});

it('has not ended a run of which only the entry of its dead leader is left', async () => {
  const { journal, leave, runs } = aJournal();
  const script = 'setsid true & echo $!; exec sleep 60';
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const pgid = Number(text);
  const fields = () => /\) (\S) \d+ (\d+)/.exec(readFileSync(`/proc/${pgid}/stat`, 'latin1'))?.slice(1);
  await expect.poll(fields).toEqual(['Z', String(pgid)]);
  leave(String(pgid), { run: 'r', pid: pgid, pgid, start_time: getStartTime(pgid), boot_id: bootId() });
  expect([await journal.reap(), readdirSync(runs)]).toEqual([0, []]);
});

it.runIf(existsSync('/bin/ps'))(
  'on a Mac, which has no /proc, a group is known by the date of its leader',
  async () => {
    const { journal, leave, runs } = aJournal();
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
    onTestFinished(() => platform.mockRestore());
    const [left, other] = [await aStray(), await aStray()];
    expect(left.entry.start_time).toMatch(/ \d{4}$/);
    leave(String(left.pid), left.entry);
    leave(String(other.pid), { ...other.entry, start_time: 'Thu Jan  1 00:00:00 1970' });
    expect(await journal.reap()).toBe(1);
    await left.ended;
    expect([isAlive(other.pid), readdirSync(runs)]).toEqual([true, []]);
  },
);
