import { mkdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { commitWinterRoster, described, FILE, members } from '../a-roster.js';
import { expect, open, type Project, test } from '../fixtures.js';

const LIMIT_MS = 300;
const IDLE_MS = 30;
const ROUNDS = 5;

const now = () => performance.timeOrigin + performance.now();

type Log = { at: number; text: string }[];

/** Makes the page record its text after every change, with the system time. */
async function keepLog(page: Page): Promise<void> {
  await page.evaluate(() => {
    const log: Log = [];
    const look = () =>
      log.push({
        at: performance.timeOrigin + performance.now(),
        text: document.querySelector('main')?.textContent ?? '',
      });
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { log });
  });
}

/** Makes a change on disk and returns how long after it `words` appeared on the page, or disappeared. */
async function getLength(page: Page, change: () => void, words: string, isThere: boolean): Promise<number> {
  const began = now();
  change();
  const made = now();
  const found = await page.waitForFunction(
    ([since, wanted, shouldBeThere]) =>
      (window as unknown as { log: Log }).log.find(
        ({ at, text }) => at >= since && text.includes(wanted) === shouldBeThere,
      )?.at,
    [began, words, isThere] as const,
  );
  return ((await found.jsonValue()) ?? Number.NaN) - made;
}

/**
 * Measures the delay of the machine for the same steps by the shortest path: a noticed change, a file read, a rendered
 * frame.
 */
async function delayOfMachine(page: Page, folder: string): Promise<number> {
  const file = join(folder, 'noticed.txt');
  const began = now();
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      watcher.close();
      resolve();
    });
    writeFileSync(file, String(began));
  });
  await readFile(file, 'utf8');
  await page.evaluate(() => new Promise(requestAnimationFrame));
  return Math.max(0, now() - began - IDLE_MS);
}

/** A change that can be made and undone, and the text that is on the roster in between. */
interface ThereAndBack {
  words: string;
  make(): void;
  takeBack(): void;
}

const changes: Record<string, (project: Project) => ThereAndBack> = {
  'a file written by hand': (project) => {
    const before = project.read(FILE);
    const after = described(before, 'Lays the boats up.');
    return {
      words: 'Lays the boats up.',
      make: () => project.write(FILE, after),
      takeBack: () => project.write(FILE, before),
    };
  },
  'a file that an editor put in its place': (project) => {
    const before = project.read(FILE);
    const after = described(before, 'Lays the boats up.');
    const put = (text: string) => {
      project.write(`${FILE}.swp`, text);
      renameSync(join(project.root, `${FILE}.swp`), join(project.root, FILE));
    };
    return { words: 'Lays the boats up.', make: () => put(after), takeBack: () => put(before) };
  },
  'a file that is gone': (project) => {
    const before = project.read(FILE);
    const make = () => rmSync(join(project.root, FILE));
    return { words: 'A default member has no file: deployer.', make, takeBack: () => project.write(FILE, before) };
  },
  'a file that is broken': (project) => {
    const before = project.read(FILE);
    const make = () => project.write(FILE, before.replace('kind: profile', 'kind: [profile'));
    return { words: 'deployer.md:', make, takeBack: () => project.write(FILE, before) };
  },
  'another branch': (project) => {
    commitWinterRoster(project);
    const checkOut = (branch: string) => () => void project.git('checkout', '-q', branch);
    return { words: 'Ice Watch', make: checkOut('winter'), takeBack: checkOut('main') };
  },
};

test.describe('within 300 ms the open roster shows', () => {
  for (const [what, prepare] of Object.entries(changes)) {
    test(what, async ({ page, project }, info) => {
      const { words, make, takeBack } = prepare(project);
      await open(page, project, '/team');
      await expect(members(page).getByRole('listitem')).toHaveCount(9);
      await keepLog(page);
      mkdirSync(info.outputDir, { recursive: true });
      const lengths: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [change, isThere] of [
          [make, true],
          [takeBack, false],
        ] as const) {
          const delay = await delayOfMachine(page, info.outputDir);
          lengths.push((await getLength(page, change, words, isThere)) - delay);
        }
      }
      lengths.sort((a, b) => a - b);
      info.annotations.push({ type: 'ms', description: lengths.map(Math.round).join(' ') });
      expect(lengths[lengths.length / 2], `${lengths.map(Math.round)} ms`).toBeLessThan(LIMIT_MS);
    });
  }
});
