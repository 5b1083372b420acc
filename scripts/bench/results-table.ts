import { fileURLToPath } from 'node:url';
import { writeResults } from '../results-page.js';
import type { Measure } from './measure.js';

/** What a ground of a score brings has no goal and stands in the table all the same. */
const isAblation = ({ measure }: Measure) => /^open, (?:without|all grounds)/.test(measure);

/** Returns the measures that have a goal, and the ablation, as a Markdown table with date and machine. */
function resultsTable(measures: readonly Measure[], day: string): string {
  const rows = measures.flatMap((one) => {
    const { bench, measure, ours, unit, peer, ratio, goal, pass } = one;
    if (goal === undefined && !isAblation(one)) return [];
    const beside = peer ? `${peer.name}: ${peer.value}` : '';
    return [
      [
        `${bench}: ${measure}`,
        `${ours} ${unit}`.trim(),
        beside,
        ratio === undefined ? '' : `${ratio}×`,
        `${goal ?? ''}${pass === false ? ' (missed)' : ''}`,
      ],
    ];
  });
  const lines = [['measure', 'ours (median)', 'beside', 'ratio', 'goal'], ['---', '---', '---', '---', '---'], ...rows];
  return [
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
    `${day}, ${measures[0]?.machine ?? ''}. \`npm run bench -- --results\` writes this table.`,
  ].join('\n');
}

/** Writes the table into `RESULTS.md`. */
export const writeBenchResults = (measures: readonly Measure[]): void =>
  writeResults(
    fileURLToPath(new URL('./RESULTS.md', import.meta.url)),
    resultsTable(measures, new Date().toISOString().slice(0, 10)),
  );
