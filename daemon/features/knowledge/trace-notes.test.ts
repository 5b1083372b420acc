import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnswerTrace, TRACE_CANDIDATES_MAX, TRACE_MAX_BYTES } from '../../contract/answer-trace.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { rankedPassage, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { LocalKnowledge } from './local-knowledge.js';
import { createForm } from './question.js';
import type { WeighedTerm } from './ranking.js';
import { TraceNotes } from './trace-notes.js';

const SECTIONS = Array.from(
  { length: 6 },
  (_, at) => `## Tide ${at}\n\nThe tide gauge reads the water level hourly.\n`,
);
const PROJECT = {
  'README.md': '# Quay\n\nQuay keeps the harbour in order.\n',
  'docs/gauge.md': `# Gauge\n\n${SECTIONS.join('\n')}`,
  'docs/crane.md': '# Crane\n\nThe crane lifts containers. Its operator looks at the water level first.\n',
  'src/gauge.ts': 'export function readGauge(): number {\n  return process.env.GAUGE ? 1 : 0;\n}\n',
  'src/main.ts': "import { readGauge } from './gauge.js';\nreadGauge();\n",
  'package.json': '{ "name": "quay", "license": "MIT" }\n',
};

async function traceAnswer(text: string, files: Record<string, string> = PROJECT): Promise<AnswerTrace> {
  const knowledge = new LocalKnowledge(temporaryRepository(files), temporaryFolder(), { PATH: process.env['PATH'] });
  onTestFinished(() => knowledge.close());
  await knowledge.structured();
  const { trace } = await knowledge.answer({ text });
  if (!trace) throw new Error('There is no trace.');
  return trace;
}

it('says how each word was read, what each score is made of, and why candidates were dropped', async () => {
  const trace = await traceAnswer('How do contaners depend on the tide with kubectl?');
  expect(trace).toMatchObject({ source: 'text', form: 'how' });
  const readings = Object.fromEntries(trace.words.map(({ written, reading }) => [written, reading]));
  expect(readings).toMatchObject({ tide: 'everyday', contaners: 'corrected', kubectl: 'foreign' });
  expect(trace.words.find(({ written }) => written === 'contaners')?.forms).toContain('contain');
  for (const { score = 0, grounds } of trace.candidates) {
    if (!grounds) throw new Error('A candidate has no grounds.');
    const { words, close, neighbours, literals, file_name, kind, whole_file } = grounds;
    expect((words + close + neighbours + literals + file_name) * kind + whole_file).toBeCloseTo(score, 1);
  }
  expect(trace.evidence?.foreign).toBeGreaterThan(0);
  expect(new Set(trace.stages.map(({ stage }) => stage))).toEqual(
    new Set(['index', 'graph', 'question', 'facts', 'search', 'decision']),
  );
});

it('tells quoted candidates from those of the same file, with a low score, and beside too weak evidence', async () => {
  const found = await traceAnswer('How often does the tide gauge read the water level?');
  const fates = found.candidates.map(({ path, fate }) => `${path} ${fate}`);
  expect(fates.filter((one) => one === 'docs/gauge.md quoted')).toHaveLength(2);
  expect(fates).toContain('docs/gauge.md same_file');
  const absent = await traceAnswer('Which kubernetes ingress terminates the tide webhook?');
  expect(new Set(absent.candidates.map(({ fate }) => fate))).toEqual(new Set(['weak_evidence']));
});

it.each([
  ['Who calls readGauge?', 'structure', 'callers', 'src/main.ts'],
  ['Which licence is it under?', 'manifests', 'licence', 'package.json'],
  ['What does this project do?', 'introduction', 'overview', 'README.md'],
])('names the source and form of "%s"', async (text, source, form, path) => {
  const trace = await traceAnswer(text);
  expect(trace).toMatchObject({ source, form, words: [] });
  expect(trace.candidates).toContainEqual(expect.objectContaining({ path, fate: 'quoted' }));
});

it('holds at most 20 candidates and 16 KiB, and says how many there were', async () => {
  const folder = 'x'.repeat(200);
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `${folder}/${'y'.repeat(200)}${at}/gauge.md`,
      `# Gauge ${at}\n\nThe tide gauge reads the water level, part ${at}.\n`,
    ]),
  );
  const names = Array.from({ length: 18 }, (_, at) => `\`${'ö'.repeat(150)}_${at}\``).join(' ');
  const trace = await traceAnswer(`Where is the tide gauge water level? ${names}`, many);
  expect(Buffer.byteLength(JSON.stringify(trace))).toBeLessThanOrEqual(TRACE_MAX_BYTES);
  expect(trace.candidates.length).toBeGreaterThan(0);
  expect(trace.candidates.length).toBeLessThanOrEqual(TRACE_CANDIDATES_MAX);
  expect(trace.candidates_total).toBeGreaterThanOrEqual(60);
});

describe('the notes of one answer', () => {
  const NONE = { text: '', citations: [], confidence: 'none' as const };
  const cited = (path: string) => ({
    ...{ path, start_line: 2, end_line: 3, commit: null, sha256: 'x', quote: 'x', status: 'checked' as const },
  });

  it('hold nothing at first', () => {
    expect(new TraceNotes(new FakeClock()).toTrace(NONE)).toEqual({
      ...{ source: 'text', form: '', words: [], candidates: [], candidates_total: 0, stages: [] },
    });
  });

  it('tell how long each stage took, to a microsecond', () => {
    const clock = new FakeClock();
    clock.advance(50);
    const notes = new TraceNotes(clock);
    clock.advance(10);
    notes.lap('index');
    clock.advance(2.00049);
    notes.lap('search');
    notes.lap('decision');
    expect(notes.toTrace(NONE).stages).toEqual([
      { stage: 'index', ms: 10 },
      { stage: 'search', ms: 2 },
      { stage: 'decision', ms: 0 },
    ]);
  });

  it.each<[string, Partial<WeighedTerm>]>([
    ['foreign', { isForeign: true, isKnown: false }],
    ['unknown', { isKnown: false, isCorrected: true }],
    ['corrected', { isCorrected: true, isName: true }],
    ['name', { isName: true, frequency: 0 }],
    ['related', { frequency: 0, isEveryday: true }],
    ['everyday', { isEveryday: true }],
    ['word', {}],
  ])('read a word as %s', (reading, parts) => {
    const notes = new TraceNotes(new FakeClock());
    notes.setTerms([weighedTerm('lamp', { weight: 1.23456, frequency: 7, ...parts })]);
    expect(notes.toTrace(NONE).words).toEqual([
      { written: 'lamp', reading, forms: ['lamp'], passages: parts.frequency ?? 7, weight: 1.235 },
    ]);
  });

  it('shorten words, forms and paths, and name six forms', () => {
    const notes = new TraceNotes(new FakeClock());
    const forms = Array.from({ length: 7 }, (_, at) => createForm([`${at}${'f'.repeat(50)}`], 1));
    notes.setTerms([weighedTerm('lamp', { written: 'w'.repeat(90), forms })]);
    notes.setPassages([rankedPassage('x', { path: 'p'.repeat(600) })]);
    const [word] = notes.toTrace(NONE).words;
    expect(word?.written).toBe('w'.repeat(80));
    expect(word?.forms).toEqual(forms.slice(0, 6).map(({ text }) => text.slice(0, 40)));
    expect(notes.toTrace(NONE).candidates[0]?.path).toBe('p'.repeat(512));
    const facts = new TraceNotes(new FakeClock());
    facts.setSource('manifests', 'licence');
    expect(facts.toTrace({ ...NONE, citations: [cited('p'.repeat(600))] }).candidates[0]?.path).toBe('p'.repeat(512));
  });

  it('list at most twenty candidates of a search, with their grounds and fates', () => {
    const notes = new TraceNotes(new FakeClock());
    const passages = Array.from({ length: 21 }, (_, at) =>
      rankedPassage('x', { startLine: at + 1 }, { score: 2.00049 }),
    );
    notes.setSource('history', 'history');
    notes.setPassages(passages);
    notes.setFate(passages[1] as (typeof passages)[0], 'quoted');
    notes.setEvidence({ foreign: 0, missing: 0, coverage: 1, names: 0, together: 0, margin: 0 });
    const trace = notes.toTrace({ ...NONE, citations: [cited('a')], total: 99 });
    expect(trace).toMatchObject({ source: 'history', form: 'history', candidates_total: 21 });
    expect(trace).not.toHaveProperty('evidence');
    expect(trace.candidates).toHaveLength(20);
    expect(trace.candidates[0]).toEqual({
      ...{ path: 'src/a.ts', start_line: 1, end_line: 1, score: 2, fate: 'weak_evidence' },
      grounds: { words: 1, close: 0, neighbours: 0, literals: 0, file_name: 0, kind: 1, whole_file: 0 },
    });
    expect(trace.candidates[1]).toMatchObject({ start_line: 2, fate: 'quoted' });
  });

  it('round the evidence of a search', () => {
    const notes = new TraceNotes(new FakeClock());
    notes.setEvidence({ foreign: 0.12345, missing: 0.9999, coverage: 1, names: 2, together: 0, margin: -1.0006 });
    expect(notes.toTrace(NONE).evidence).toEqual({
      ...{ foreign: 0.123, missing: 1, coverage: 1, names: 2, together: 0, margin: -1.001 },
    });
  });

  it('list the facts of another source, and those that had no room', () => {
    const notes = new TraceNotes(new FakeClock());
    notes.setSource('structure', 'callers');
    notes.setTerms([weighedTerm('lamp')]);
    notes.setPassages([rankedPassage('x')]);
    notes.setUnquoted([cited('b')]);
    const answer = { ...NONE, citations: [cited('a')] };
    const trace = notes.toTrace(answer);
    expect(trace).toMatchObject({ source: 'structure', form: 'callers', words: [], candidates_total: 2 });
    expect(trace.candidates).toEqual([
      { path: 'a', start_line: 2, end_line: 3, fate: 'quoted' },
      { path: 'b', start_line: 2, end_line: 3, fate: 'enough' },
    ]);
    expect(notes.toTrace({ ...answer, total: 7 }).candidates_total).toBe(7);
    expect(notes.toTrace({ ...answer, total: 1 }).candidates_total).toBe(2);
    expect(notes.toTrace({ ...NONE, citations: Array.from({ length: 30 }, () => cited('a')) }).candidates).toHaveLength(
      20,
    );
  });

  it('drop the last candidates until they fit', () => {
    const size = (path: string) => {
      const notes = new TraceNotes(new FakeClock());
      notes.setSource('structure', 'callers');
      const trace = notes.toTrace({
        ...NONE,
        citations: Array.from({ length: 20 }, (_, at) => ({ ...cited(path), start_line: at })),
      });
      return { trace, bytes: Buffer.byteLength(JSON.stringify(trace)) };
    };
    expect(size('é'.repeat(100)).trace.candidates).toHaveLength(20);
    const { trace, bytes } = size('é'.repeat(500));
    const one = Buffer.byteLength(JSON.stringify(trace.candidates[0])) + 1;
    expect(bytes).toBeLessThanOrEqual(TRACE_MAX_BYTES);
    expect(bytes + one).toBeGreaterThan(TRACE_MAX_BYTES - 1);
    expect(trace.candidates.map(({ start_line }) => start_line)).toEqual(trace.candidates.map((_, at) => at));
    expect(trace.candidates_total).toBe(20);
  });
});
