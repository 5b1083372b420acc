import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
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

/** Files of the process that are no log, opened at once: they get every number that is free. */
function openOthers(): () => void {
  const folder = temporaryFolder();
  const others = Array.from({ length: 8 }, (_, number) => openSync(join(folder, `${number}`), 'a'));
  return () => {
    for (const file of others) {
      // Throws for one that somebody else has closed.
      expect(fstatSync(file).size).toBe(0);
      closeSync(file);
    }
  };
}

describe('the log', () => {
  it('is four files of at most 10 MiB that only their owner reads', () => {
    const { folder, say } = aLog();
    say(65);
    const files = readdirSync(folder).map((name) => [name, statSync(join(folder, name))] as const);
    expect(files.map(([name]) => name).sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2', 'daemon.log.3']);
    for (const [, { size, mode }] of files) expect([size <= MAX_BYTES, mode & 0o777]).toEqual([true, 0o600]);
    expect(statSync(join(folder, 'daemon.log')).size).toBe(5 * LINE.length);
  });

  it('touches no file but its own when its folder is gone, and goes on when there is one again', () => {
    const { folder, path, say } = aLog();
    say(10);
    renameSync(folder, `${folder}-gone`);
    // It has to be turned over and cannot be.
    say(3);
    const expectUntouched = openOthers();
    say(3);
    expectUntouched();
    mkdirSync(folder);
    say(1);
    expect(readFileSync(path, 'utf8')).toBe(LINE);
  });

  it('keeps its old files when there cannot be a new one', () => {
    const { folder, path, say } = aLog();
    say(30);
    // Nothing can be put in this place.
    mkdirSync(`${path}.next/full`, { recursive: true });
    say(40);
    const sizes = ['', '.1', '.2'].map((age) => statSync(`${path}${age}`).size / LINE.length);
    expect(sizes).toEqual([10, 10, 10]);
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('writes and closes nothing once it is closed', () => {
    const { log } = aLog();
    log.close();
    const expectUntouched = openOthers();
    log.write(LINE);
    log.close();
    expectUntouched();
  });
});
