/**
 * Measures how response times and memory grow with the amount of data: 10, 100, 1,000, 10,000 and 100,000 agents,
 * posts, requests, conversations and files of the repository, and as many sockets as the daemon admits. Each size has
 * its own built daemon, whose store was filled with copies of a row created through its API. From the second largest
 * size to the largest nothing may grow worse than n log n. `--chart` draws `scripts/bench/growth.svg`, which RESULTS.md
 * shows. Usage: `npx tsx scripts/bench/growth.ts [--chart] [--only agents]`, a minute and a half.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agents } from './growth/agents.js';
import { type Curve, growthChart } from './growth/chart.js';
import { conversations } from './growth/conversations.js';
import { posts } from './growth/posts.js';
import { repository } from './growth/repository.js';
import { requests } from './growth/requests.js';
import { sockets } from './growth/sockets.js';
import type { Point } from './growth/subject.js';
import { machine, report, rounded } from './measure.js';

const SUBJECTS = [agents, posts, requests, conversations, sockets, repository];
/** Below this time the result depends on the noise of the machine, so growth cannot be judged. */
const TOLD_FROM_MS = 5;
/** Factor that noise of the machine may add between the last two sizes. */
const NOISE = 1.5;

const only = process.argv.indexOf('--only');
const wanted = only === -1 ? undefined : process.argv[only + 1];
const curves: Curve[] = [];
for (const { name, sizes, at } of SUBJECTS.filter((subject) => wanted === undefined || subject.name === wanted)) {
  const points: Point[] = [];
  for (const size of sizes) {
    const point = await at(size);
    points.push(point);
    console.error(`${name} ${size}: ${JSON.stringify(point)}`);
  }
  curves.push({ name, sizes, points });
  const [before, last] = sizes.slice(-2) as [number, number];
  const [smaller, larger] = points.slice(-2) as [Point, Point];
  const nLogN = (last * Math.log2(last)) / (before * Math.log2(before));
  for (const label of Object.keys(larger.ms)) {
    const [fewMs, manyMs] = [smaller.ms[label] ?? 0, larger.ms[label] ?? 0];
    report({
      bench: 'growth',
      measure: `${name}, ${last}: ${label}`,
      unit: 'ms',
      ours: rounded(manyMs, 2),
      peer: { name: `with ${before}`, value: rounded(fewMs, 2) },
      ratio: rounded(manyMs / fewMs, 2),
      rounds: 1,
      goal: 'no worse than n log n',
      pass: manyMs < TOLD_FROM_MS || manyMs / fewMs <= nLogN * NOISE,
    });
  }
  report({
    bench: 'growth',
    measure: `${name}, ${last}: memory`,
    unit: 'MB',
    ours: rounded(larger.megabytes, 0),
    peer: { name: `with ${before}`, value: rounded(smaller.megabytes, 0) },
    rounds: 1,
  });
}
if (process.argv.includes('--chart')) {
  const day = new Date().toISOString().slice(0, 10);
  const caption = `Both axes logarithmic; dashed: resident memory, 10 MB at the foot. ${day}, ${machine()}.`;
  writeFileSync(fileURLToPath(new URL('./growth.svg', import.meta.url)), growthChart(curves, caption));
}
