import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { LogFile } from './log-file.js';

const MAX_BYTES = 10 * 1024 * 1024;
const LINE = `${'x'.repeat(2 ** 20 - 1)}\n`;

function aLog() {
  const path = join(temporaryFolder({ 'state/daemon.log': '' }), 'state/daemon.log');
  const log = new LogFile(path);
  onTestFinished(() => log.close());
  const say = (lines: number) => {
    for (let line = 0; line < lines; line += 1) log.write(LINE);
  };
  return { log, path, folder: dirname(path), say };
}

/** Opens files other than the log, so that they get every free descriptor number. */
function openOthers(): () => void {
  const folder = temporaryFolder();
  const others = Array.from({ length: 8 }, (_, number) => openSync(join(folder, `${number}`), 'a'));
  return () => {
    for (const file of others) {
      // Throws for a descriptor that another component has closed.
      expect(fstatSync(file).size).toBe(0);
      closeSync(file);
    }
  };
}

describe('LogFile', () => {
  it('keeps at most four files of at most 10 MiB that only their owner can read', () => {
    const { folder, say } = aLog();
    say(65);
    const files = readdirSync(folder).map((name) => [name, statSync(join(folder, name))] as const);
    expect(files.map(([name]) => name).sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2', 'daemon.log.3']);
    for (const [, { size, mode }] of files) expect([size <= MAX_BYTES, mode & 0o777]).toEqual([true, 0o600]);
    expect(statSync(join(folder, 'daemon.log')).size).toBe(5 * LINE.length);
  });

  it('touches no other file when its folder is gone, and continues when the folder exists again', () => {
    const { folder, path, say } = aLog();
    say(10);
    renameSync(folder, `${folder}-gone`);
    // The log has to be rotated, which fails.
    say(3);
    const expectUntouched = openOthers();
    say(3);
    expectUntouched();
    mkdirSync(folder);
    say(1);
    expect(readFileSync(path, 'utf8')).toBe(LINE);
  });

  it('keeps its old files when a new one cannot be created', () => {
    const { folder, path, say } = aLog();
    say(30);
    // No file can be created at this path.
    mkdirSync(`${path}.next/full`, { recursive: true });
    say(40);
    const sizes = ['', '.1', '.2'].map((age) => statSync(`${path}${age}`).size / LINE.length);
    expect(sizes).toEqual([10, 10, 10]);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('neither writes nor closes anything after it is closed', () => {
    const { log } = aLog();
    log.close();
    const expectUntouched = openOthers();
    log.write(LINE);
    log.close();
    expectUntouched();
  });

  it('is turned over before it would exceed its limit, not at it, and counts bytes and what it held before', () => {
    const { folder, path, log, say } = aLog();
    say(9);
    log.close();
    const again = new LogFile(path);
    onTestFinished(() => again.close());
    again.write(LINE);
    expect([readdirSync(folder), statSync(path).size]).toEqual([['daemon.log'], MAX_BYTES]);
    again.write('x');
    expect([readdirSync(folder).sort(), statSync(path).size]).toEqual([['daemon.log', 'daemon.log.1'], 1]);
    // One byte too many, in half as many characters.
    again.write('é'.repeat(MAX_BYTES / 2));
    expect([statSync(path).size, statSync(`${path}.1`).size]).toEqual([MAX_BYTES, 1]);
  });

  it('writes a line that is longer than its limit to a file of its own', () => {
    const { folder, path, log } = aLog();
    log.write('x'.repeat(MAX_BYTES + 1));
    expect(readdirSync(folder)).toEqual(['daemon.log']);
    log.write('next\n');
    expect([readFileSync(path, 'utf8'), statSync(`${path}.1`).size]).toEqual(['next\n', MAX_BYTES + 1]);
  });

  it('keeps older files in their order', () => {
    const { path, log } = aLog();
    for (const name of ['one', 'two', 'three', 'four', 'five']) log.write(name + 'x'.repeat(MAX_BYTES));
    const first = (age: string) => readFileSync(`${path}${age}`, 'utf8').split('x', 1)[0];
    expect(['', '.1', '.2', '.3'].map(first)).toEqual(['five', 'four', 'three', 'two']);
  });

  it('continues over what an interrupted change of files left', () => {
    const { path, log, say } = aLog();
    writeFileSync(`${path}.next`, 'left');
    say(11);
    expect([readFileSync(path, 'utf8'), statSync(`${path}.1`).size]).toEqual([LINE, MAX_BYTES]);
    log.close();
  });

  it('is no link', () => {
    const path = join(temporaryFolder({ other: '' }), 'daemon.log');
    symlinkSync('other', path);
    expect(() => new LogFile(path)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
