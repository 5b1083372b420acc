import { writeReadmePart } from '../readme-part.js';
import type { Measure } from './measure.js';

/** The measures that have a goal as a Markdown table, with the day and the machine they are from. */
export function readmeTable(measures: readonly Measure[], day: string): string {
  const rows = measures.flatMap(({ bench, measure, ours, unit, peer, ratio, goal, pass }) => {
    if (goal === undefined) return [];
    const beside = peer ? `${peer.name}: ${peer.value}` : '';
    return [
      [
        `${bench}: ${measure}`,
        `${ours} ${unit}`.trim(),
        beside,
        ratio === undefined ? '' : `${ratio}×`,
        `${goal}${pass === false ? ' (missed)' : ''}`,
      ],
    ];
  });
  const lines = [['measure', 'ours (median)', 'beside', 'ratio', 'goal'], ['---', '---', '---', '---', '---'], ...rows];
  return [
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
    `${day}, ${measures[0]?.machine ?? ''}. \`npm run bench -- --readme\` writes this table.`,
  ].join('\n');
}

/** Puts the table between README's two markers. */
export const writeReadme = (measures: readonly Measure[]): void =>
  writeReadmePart('bench', readmeTable(measures, new Date().toISOString().slice(0, 10)));
