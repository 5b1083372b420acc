import type { AnswerTrace, TraceCandidate } from '../../contract/answer-trace.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { FATE_LABELS, GROUND_LABELS, READING_LABELS, SOURCE_LABELS } from '../../lib/text/trace-labels.js';
import type { Terminal } from '../terminal.js';

/** Prints how an answer was found: its source and times, the words, and the candidates. */
export function showTrace(terminal: Terminal, trace: AnswerTrace): void {
  const { source, form, stages, words, candidates, candidates_total } = trace;
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  terminal.table([
    ['Found in', `${SOURCE_LABELS[source]}${form === '' ? '' : `, read as a question of the form "${form}"`}`],
    [
      'Time',
      `${total.toFixed(1)} ms: ${mergeStages(stages)
        .map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`)
        .join(', ')}`,
    ],
  ]);
  if (words.length > 0) {
    terminal.answer('');
    terminal.table(
      words.map(({ written, reading, passages, weight, forms }) => [
        written,
        READING_LABELS[reading],
        String(passages),
        weight.toFixed(2),
        forms.join(', '),
      ]),
      ['WORD', 'READ AS', 'PASSAGES', 'WEIGHT', 'SEARCHED FOR'],
    );
  }
  terminal.answer('');
  if (candidates.length === 0) {
    terminal.answer('No candidates.');
    return;
  }
  const isScored = candidates.some(({ grounds }) => grounds);
  terminal.table(
    candidates.map((one) => toRow(one, isScored)),
    isScored ? ['CANDIDATE', 'SCORE', ...GROUND_LABELS.map(([, label]) => label.toUpperCase()), ''] : ['CANDIDATE', ''],
  );
  if (candidates_total > candidates.length) terminal.note(`The first ${candidates.length} of ${candidates_total}.`);
}

function toRow({ path, start_line, end_line, score, grounds, fate }: TraceCandidate, isScored: boolean): string[] {
  const place = sanitizeDisplayLine(`${path}:${start_line}-${end_line}`);
  const scores = [score, ...GROUND_LABELS.map(([key]) => grounds?.[key])].map((value) => value?.toFixed(2) ?? '');
  return [place, ...(isScored ? scores : []), FATE_LABELS[fate]];
}

/** Adds up the times of each stage, in the order of their first occurrence. */
function mergeStages(stages: AnswerTrace['stages']): [string, number][] {
  const sums = new Map<string, number>();
  for (const { stage, ms } of stages) sums.set(stage, (sums.get(stage) ?? 0) + ms);
  return [...sums];
}
