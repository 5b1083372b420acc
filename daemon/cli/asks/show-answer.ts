import type { Citation, Confidence, SearchOutcome } from '../../contract/asks.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { citationMark } from '../daemon/status-format.js';
import { type PlainLine, toPlainLines, wrapLine } from '../plain-text.js';
import { printable, type Terminal } from '../terminal.js';

/** An answer of a member, in an ask or in a conversation. */
interface ShownAnswer extends Partial<SearchOutcome> {
  text: string;
  citations: readonly Citation[];
}

const KINDS: Readonly<Record<Confidence, { word: string; style: 'green' | 'yellow' | 'bold' }>> = {
  found: { word: '● Found', style: 'green' },
  likely: { word: '◐ Probably here', style: 'yellow' },
  none: { word: '○ Not found', style: 'bold' },
};
/** The first words of an answer that repeat its kind. */
const LEADS: Readonly<Partial<Record<Confidence, RegExp>>> = {
  likely: /^Probably here: [^\n]*\n+/,
  none: /^Not found in (?:this project|the files that were read so far)\.\s+/,
};
/** The line above a quote of the built-in search, which names its place. */
const QUOTED = /^(\[\d{1,9}\]) `([^`]+)`(?: — (.*))?$/;

const isConfirmed = ({ status }: Citation) => status === 'checked' || status === 'moved';
const getPlace = ({ path, start_line, end_line }: Pick<Citation, 'path' | 'start_line' | 'end_line'>) =>
  `${path}:${start_line}-${end_line}`;
const wasGivenAt = (citation: Citation, place: string) =>
  citation.status !== 'dropped' && getPlace({ ...citation, ...citation.given }) === place;
const getLines = ({ start_line, end_line }: Pick<Citation, 'start_line' | 'end_line'>) => `${start_line}-${end_line}`;

/** Prints the kind of an answer of the built-in search, with what was searched. Prints nothing for other answers. */
export function showKind(terminal: Terminal, { confidence, searched, total, citations }: ShownAnswer): void {
  if (confidence === undefined) return;
  const { word, style } = KINDS[confidence];
  const verified = citations.filter(isConfirmed).length;
  const facts = [
    ...(citations.length > 0
      ? [
          `${verified === citations.length ? verified : `${verified} of ${citations.length}`} ` +
            `${citations.length === 1 ? 'quote' : 'quotes'} verified`,
        ]
      : []),
    ...(total !== undefined && total > citations.length ? [`the first ${citations.length} of ${total} places`] : []),
    ...(searched ? [`${searched.files} ${searched.files === 1 ? 'file' : 'files'} searched`] : []),
    ...(searched?.pending ? [`${searched.pending} not read yet`] : []),
    ...(searched && searched.left_out > 0 ? [`${searched.left_out} left out`] : []),
    ...(searched?.not_text ? [`${searched.not_text} not text`] : []),
  ];
  terminal.answer(`${terminal.colours[style](word)}${terminal.colours.dim(`: ${facts.join(', ')}`)}`);
}

/**
 * Prints an answer as plain text, wrapped to the terminal: its kind, its text, and its citations. A citation that the
 * text quotes is printed with its quote and not listed again.
 */
export function showAnswer(terminal: Terminal, answer: ShownAnswer): void {
  const { text, citations, confidence } = answer;
  showKind(terminal, answer);
  if (confidence !== undefined) terminal.answer('');
  const lead = confidence && LEADS[confidence];
  const body = printable(lead ? text.replace(lead, '') : text).trimEnd();
  const quoted = new Set<Citation>();
  for (const line of toPlainLines(body)) {
    const [, number = '', place, title = ''] = (line.isVerbatim ? null : QUOTED.exec(line.source)) ?? [];
    const citation = place === undefined ? undefined : citations.find((one) => wasGivenAt(one, place));
    if (citation) {
      quoted.add(citation);
      showLine(terminal, toPlainLines(`${number} ${title}`.trimEnd())[0] ?? line);
      terminal.answer(`${sanitizeDisplayLine(place ?? '')} ${formatMark(terminal, citation, 'given')}`);
    } else showLine(terminal, line);
  }
  showCitations(
    terminal,
    citations.filter((citation) => !quoted.has(citation)),
  );
}

function showLine(terminal: Terminal, { text, isVerbatim }: PlainLine): void {
  const lines = isVerbatim || terminal.columns === undefined ? [text] : wrapLine(text, terminal.columns);
  for (const line of lines) terminal.answer(line);
}

/** Prints the place of each citation that was not dropped, as `path:start-end`, and its status. */
export function showCitations(terminal: Terminal, citations: readonly Citation[]): void {
  const shown = citations.filter(({ status }) => status !== 'dropped');
  if (shown.length > 0) terminal.answer('');
  for (const citation of shown)
    terminal.answer(`${sanitizeDisplayLine(getPlace(citation))} ${formatMark(terminal, citation, 'current')}`);
}

/** The mark of a citation beside its place, which is the `given` or the `current` one. */
function formatMark(
  { colours }: Terminal,
  { start_line, end_line, status, given }: Citation,
  beside: 'given' | 'current',
) {
  const colour = status === 'checked' ? colours.green : status === 'moved' ? colours.yellow : colours.red;
  const moved = status === 'moved' && given;
  const lines = moved
    ? ` ${beside === 'given' ? `to ${getLines({ start_line, end_line })}` : `from ${getLines(given)}`}`
    : '';
  return colour(citationMark(status) + lines);
}

/** Prints a note on dropped citations, if there are any. */
export function noteDropped(terminal: Terminal, dropped: number): void {
  if (dropped > 0)
    terminal.note(
      `${dropped} citation${dropped === 1 ? '' : 's'} did not hold and ${dropped === 1 ? 'was' : 'were'} dropped.`,
    );
}
