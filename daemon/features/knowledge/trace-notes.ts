import {
  type AnswerSource,
  type AnswerTrace,
  type CandidateFate,
  TRACE_CANDIDATES_MAX,
  TRACE_MAX_BYTES,
  type TraceCandidate,
  type TraceEvidence,
  type TraceStage,
  type WordReading,
} from '../../contract/answer-trace.js';
import type { Citation } from '../../contract/asks.js';
import type { Clock } from '../../lib/time/clock.js';
import type { ComposedAnswer } from './knowledge.js';
import type { Ranked, WeighedTerm } from './ranking.js';

const WRITTEN_MAX = 80;
const FORM_CHARS_MAX = 40;
const FORMS_MAX = 6;
const PATH_MAX = 512;

type Place = Pick<Citation, 'path' | 'start_line' | 'end_line'>;

/**
 * Notes how one answer is found. Notes are references to what the search made anyway; the trace is built from them once
 * the answer is there.
 */
export class TraceNotes {
  private readonly stages: { stage: TraceStage; ms: number }[] = [];
  private readonly fates = new Map<Ranked, CandidateFate>();
  private lapAt: number;
  private source: AnswerSource = 'text';
  private form = '';
  private terms: readonly WeighedTerm[] = [];
  private passages: readonly Ranked[] = [];
  private unquoted: readonly Place[] = [];
  private evidence: TraceEvidence | undefined;

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {
    this.lapAt = clock.elapsed();
  }

  /** Ends a stage that began where the one before ended. */
  lap(stage: TraceStage): void {
    const now = this.clock.elapsed();
    this.stages.push({ stage, ms: now - this.lapAt });
    this.lapAt = now;
  }

  /** Notes where the answer comes from, and which form of question was recognised. */
  setSource(source: AnswerSource, form: string): void {
    this.source = source;
    this.form = form;
  }

  setTerms(terms: readonly WeighedTerm[]): void {
    this.terms = terms;
  }

  /** Notes the ranked passages. Those without a fate of their own count as too weak. */
  setPassages(passages: readonly Ranked[]): void {
    this.passages = passages;
  }

  setFate(passage: Ranked, fate: CandidateFate): void {
    this.fates.set(passage, fate);
  }

  /** Notes facts for which the answer had no room. */
  setUnquoted(places: readonly Place[]): void {
    this.unquoted = places;
  }

  setEvidence(evidence: TraceEvidence): void {
    this.evidence = evidence;
  }

  /** Returns the trace of the answer that was found. */
  toTrace(answer: ComposedAnswer): AnswerTrace {
    const isRanked = this.source === 'text' || this.source === 'history';
    const candidates = isRanked
      ? this.passages.slice(0, TRACE_CANDIDATES_MAX).map((one) => this.toRankedCandidate(one))
      : [
          ...answer.citations.map((place) => toFact(place, 'quoted')),
          ...this.unquoted.map((place) => toFact(place, 'enough')),
        ];
    const total = isRanked
      ? this.passages.length
      : Math.max(answer.total ?? 0, answer.citations.length + this.unquoted.length);
    return bounded({
      source: this.source,
      form: this.form,
      words: isRanked ? this.terms.map(toWord) : [],
      candidates: candidates.slice(0, TRACE_CANDIDATES_MAX),
      candidates_total: total,
      ...(this.evidence && this.source === 'text' ? { evidence: roundAll(this.evidence) } : {}),
      stages: this.stages.map(({ stage, ms }) => ({ stage, ms: round(ms) })),
    });
  }

  private toRankedCandidate(ranked: Ranked): TraceCandidate {
    const { path, startLine, endLine } = ranked.passage;
    return {
      path: path.slice(0, PATH_MAX),
      start_line: startLine,
      end_line: endLine,
      score: round(ranked.score),
      grounds: roundAll(ranked.grounds),
      fate: this.fates.get(ranked) ?? 'weak_evidence',
    };
  }
}

const toFact = ({ path, start_line, end_line }: Place, fate: CandidateFate): TraceCandidate => ({
  path: path.slice(0, PATH_MAX),
  start_line,
  end_line,
  fate,
});

const toWord = (term: WeighedTerm): AnswerTrace['words'][number] => ({
  written: term.written.slice(0, WRITTEN_MAX),
  reading: getReading(term),
  forms: term.forms.slice(0, FORMS_MAX).map(({ text }) => text.slice(0, FORM_CHARS_MAX)),
  passages: term.frequency,
  weight: round(term.weight),
});

function getReading(term: WeighedTerm): WordReading {
  if (term.isForeign) return 'foreign';
  if (!term.isKnown) return 'unknown';
  if (term.isCorrected) return 'corrected';
  if (term.isName) return 'name';
  if (term.frequency === 0) return 'related';
  return term.isEveryday ? 'everyday' : 'word';
}

/** Drops the last candidates until the trace is at most 16 KiB. */
function bounded(trace: AnswerTrace): AnswerTrace {
  let { candidates } = trace;
  while (candidates.length > 0 && Buffer.byteLength(JSON.stringify({ ...trace, candidates })) > TRACE_MAX_BYTES)
    candidates = candidates.slice(0, -1);
  return { ...trace, candidates };
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;

function roundAll<Key extends string>(values: Record<Key, number>): Record<Key, number> {
  const rounded = { ...values };
  for (const key in rounded) rounded[key] = round(values[key]) as Record<Key, number>[typeof key];
  return rounded;
}
