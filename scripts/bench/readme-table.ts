import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measure } from './measure.js';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** The measures as a Markdown table, with the day and the machine they are from. */
export function readmeTable(measures: readonly Measure[], day: string): string {
  const rows = measures.map(({ bench, measure, ours, unit, peer, ratio, goal, pass }) => [
    `${bench}: ${measure}`,
    `${ours} ${unit}`.trim(),
    peer ? `${peer.name}: ${peer.value}` : '',
    ratio === undefined ? '' : `${ratio}×`,
    goal === undefined ? '' : `${goal}${pass === false ? ' (missed)' : ''}`,
  ]);
  const lines = [['measure', 'ours (median)', 'beside', 'ratio', 'goal'], ['---', '---', '---', '---', '---'], ...rows];
  return [
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
    `${day}, ${measures[0]?.machine ?? ''}. \`npm run bench -- --readme\` writes this table.`,
  ].join('\n');
}

/** Puts the table between README's two markers. */
export function writeReadme(measures: readonly Measure[]): void {
  const path = fileURLToPath(new URL('../../README.md', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(BEGIN) + BEGIN.length;
  const end = text.indexOf(END);
  if (start < BEGIN.length || end < start) throw new Error(`README.md must hold ${BEGIN} and ${END}.`);
  writeFileSync(path, `${text.slice(0, start)}\n${readmeTable(measures, new Date().toISOString().slice(0, 10))}\n${text.slice(end)}`);
}
