import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
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
});
