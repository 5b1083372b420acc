import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Health } from '../../../daemon/contract/system.js';
import { median } from '../measure.js';
import { createWord, grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

const PER_FOLDER = 500;
const LOOK_MS = 100;
const QUESTIONS = 9;

/** Returns about a kilobyte of source with different words for each file. */
const getSource = (file: number) =>
  Array.from(
    { length: 12 },
    (_, i) =>
      `/** What ${createWord(file * 12 + i)} does with ${createWord(file + i * 31)}. */\nexport const ` +
      `${createWord(file + i * 977)}_${i} = ${file + i};\n`,
  ).join('\n');

/** Files of a kilobyte that git tracks: the time from an ask about them to its record with a cited answer. */
export const repository: Grow = {
  name: 'files in the repository',
  sizes: [10, 100, 1_000, 10_000, 100_000],
  at: (size) =>
    grown(
      async (daemon, root) => {
        for (let file = 0; file < size; file += 1) {
          const folder = join(root, `src/${Math.floor(file / PER_FOLDER)}`);
          if (file % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, `f${file}.ts`), getSource(file));
        }
        execFileSync('git', ['add', '-A'], { cwd: root });
        execFileSync(
          'git',
          ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', 'commit', '-qm', 'grown'],
          { cwd: root },
        );
        return daemon.getToken('consultant');
      },
      () => undefined,
      async ({ daemon }, token) => {
        const health = () => daemon.call<Health>('GET', '/health');
        const startedMs = performance.now();
        while ((await health()).knowledge.state !== 'ready') await pause(LOOK_MS);
        const readS = (performance.now() - startedMs) / 1_000;
        const times: number[] = [];
        for (let i = 0; i <= QUESTIONS; i += 1) {
          const askedMs = performance.now();
          await daemon.ask('consultant', token, {
            text: `What does ${createWord(Math.floor((i * size) / QUESTIONS) + 31)} do?`,
          });
          if (i > 0) times.push(performance.now() - askedMs);
        }
        return {
          ms: { 'a cited answer': median(times), 'reading them, first start': readS * 1_000 },
          megabytes: daemon.residentBytes() / 1e6,
        };
      },
    ),
};
