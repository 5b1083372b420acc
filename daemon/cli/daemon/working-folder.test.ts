import { EventEmitter } from 'node:events';
import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { inWorkingFolder } from './working-folder.js';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const DAY_MS = 86_400_000;

/** A process that only records with what it ends. */
class OwnProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): never {
    this.exits.push(code);
    return undefined as never;
  }
}

describe('the folder of a backup that is being made', () => {
  it('is this user’s alone, and gone at the end and after a failure', async () => {
    const parent = temporaryFolder();
    const own = new OwnProcess();
    const work = async (folder: string) => {
      writeFileSync(join(folder, 'mesh.db'), 'x');
      return statSync(folder).mode & 0o777;
    };
    expect(await inWorkingFolder(parent, NOW, work, own as never)).toBe(0o700);
    const failing = inWorkingFolder(parent, NOW, () => Promise.reject(new Error('full')), own as never);
    await expect(failing).rejects.toThrow('full');
    expect([readdirSync(parent), own.eventNames()]).toEqual([[], []]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('is removed with its copy of the store when %s ends the command', async (signal, exit) => {
    const parent = temporaryFolder();
    const own = new OwnProcess();
    const work = async (folder: string) => {
      writeFileSync(join(folder, 'mesh.db'), 'x');
      own.emit(signal, signal);
      return readdirSync(parent);
    };
    expect(await inWorkingFolder(parent, NOW, work, own as never)).toEqual([]);
    expect(own.exits).toEqual([exit]);
  });

  it('is removed with a second one, in another place, by the signal that ends the process at its first handler', async () => {
    const [parent, other] = [temporaryFolder(), temporaryFolder()];
    const own = new OwnProcess();
    own.exit = () => {
      throw new Error('ended');
    };
    const work = async (folder: string) => {
      writeFileSync(join(folder, 'mesh.db'), 'x');
      expect(() => own.emit('SIGTERM', 'SIGTERM')).toThrow('ended');
      return [readdirSync(parent), readdirSync(other)];
    };
    const both = () => inWorkingFolder(other, NOW, work, own as never);
    expect(await inWorkingFolder(parent, NOW, both, own as never)).toEqual([[], []]);
  });

  it('is removed by the next backup a day after its command was killed, and nothing else is', async () => {
    const elsewhere = temporaryFolder({ 'mesh.db': 'x' });
    const parent = temporaryFolder({ '.meshd-backup-left/mesh.db': 'x', 'lamp/x': '' });
    mkdirSync(join(parent, '.meshd-backup-running'));
    for (const name of ['.meshd-backup-left', 'lamp'])
      utimesSync(join(parent, name), new Date(NOW - DAY_MS - 1), new Date(NOW - DAY_MS - 1));
    utimesSync(join(parent, '.meshd-backup-running'), new Date(NOW - DAY_MS), new Date(NOW - DAY_MS));
    symlinkSync(elsewhere, join(parent, '.meshd-backup-link'));
    await inWorkingFolder(parent, NOW, async () => undefined, new OwnProcess() as never);
    expect(readdirSync(parent).sort()).toEqual(['.meshd-backup-link', '.meshd-backup-running', 'lamp']);
    expect(readdirSync(elsewhere)).toEqual(['mesh.db']);
  });
});
