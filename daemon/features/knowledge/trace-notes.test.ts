import { expect, it, onTestFinished } from 'vitest';
import { type AnswerTrace, TRACE_CANDIDATES_MAX, TRACE_MAX_BYTES } from '../../contract/answer-trace.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { LocalKnowledge } from './local-knowledge.js';

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
