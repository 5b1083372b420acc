import { describe, expect, it } from 'vitest';
import type { Commit } from '../../storage/git/git-log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { openPassages } from '../../testing/parts/open-passages.js';
import { Answering } from './answering.js';
import type { Cite } from './composition.js';
import { type ComposedAnswer, NO_MODEL_LINE, type PlainQuestion } from './knowledge.js';
import { Search } from './search.js';
import { STRUCTURE_PENDING, type StructureAnswers } from './structure/structure-answers.js';
import { TraceNotes } from './trace-notes.js';

type Structural = ReturnType<StructureAnswers['answer']>;

const README = '# Lamp\n\nLamp is a light for the whole house.\n\nIt burns oil and is lit by hand each evening.\n';

interface Options {
  structural?: Structural;
  submodules?: () => readonly string[];
  cite?: (cite: Cite) => Cite;
}

function open(files: Record<string, string>, { structural, submodules, cite = (one) => one }: Options = {}) {
  const passages = openPassages(files);
  const asked: unknown[][] = [];
  const plain: Cite = (path, start_line, end_line) => ({
    ...{ path, start_line, end_line, commit: null, sha256: 'x', quote: 'x', status: 'checked' },
  });
  const answering = new Answering({
    database: passages.database,
    folder: 'lamp',
    search: new Search(passages.database, passages.linesOf, (word) => (word === 'evening' ? 5 : 3)),
    cite: cite(plain),
    linesOf: passages.linesOf,
    structure: {
      answer: (...given: unknown[]) => {
        asked.push(given);
        return structural;
      },
    },
    submodules,
  });
  const trace = (question: PlainQuestion, searched = {}) => {
    const notes = new TraceNotes(new FakeClock());
    const answer = answering.answer(question, { files: 3, left_out: 0, ...searched }, notes);
    return { answer, trace: notes.toTrace(answer) };
  };
  const ask = (text: string, parts: Partial<PlainQuestion> = {}, searched = {}) =>
    trace({ text, ...parts }, searched).answer;
  return { ...passages, answering, asked, trace, ask };
}

const places = ({ citations }: ComposedAnswer) =>
  citations.map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`);
const parts = ({ text }: ComposedAnswer) => text.split('\n\n');

describe('a question about structure', () => {
  const ANSWER: ComposedAnswer = { text: 'It is called.', citations: [], confidence: 'found' };

  it('is answered by the graph before anything else', () => {
    const { trace, asked } = open({ 'README.md': README }, { structural: { answer: ANSWER, form: 'callers' } });
    const found = trace({ text: 'What does this project do?' });
    expect(found.answer).toBe(ANSWER);
    expect(found.trace).toMatchObject({ source: 'structure', form: 'callers' });
    expect(found.trace.stages.map(({ stage }) => stage)).toEqual(['question', 'facts']);
    expect(asked).toEqual([['What does this project do?', { kind: 'purpose' }, ['lamp']]]);
  });

  it('waits for the graph as long as it is not complete', () => {
    const needs = (structural: Structural) => open({}, { structural }).answering.needsStructure('Who calls lamp?');
    expect(needs('pending')).toBe(true);
    expect(needs({ answer: ANSWER, form: 'callers' })).toBe(false);
    expect(needs(undefined)).toBe(false);
  });

  it('is answered by a search meanwhile, which says so', () => {
    const { ask } = open({ 'a.md': 'The lamp is lit.' }, { structural: 'pending' });
    expect(parts(ask('Who calls lamp?'))).toContain(STRUCTURE_PENDING);
    const indexing = parts(ask('Who calls lamp?', {}, { pending: 2 }));
    expect(indexing).not.toContain(STRUCTURE_PENDING);
    expect(indexing).toContain(
      'The index is still being built: 2 of 5 files were not read yet. Ask again for a complete answer.',
    );
    expect(parts(open({ 'a.md': 'The lamp is lit.' }).ask('Who calls lamp?')).join()).not.toMatch(/graph|index is/);
  });
});

describe('a question about the project as a whole', () => {
  it('is answered by the paragraph that says what it is, and the others', () => {
    const { trace } = open({ 'README.md': `# Lamp\n\nSee the manual before you begin here.\n\n${README.slice(8)}` });
    const { answer, trace: notes } = trace({ text: 'What does this project do?' });
    expect(parts(answer)[0]).toBe('Lamp is a light for the whole house. [1]');
    expect(places(answer)).toEqual(['README.md:5-5', 'README.md:3-3', 'README.md:7-7']);
    expect(answer.confidence).toBe('found');
    expect(notes).toMatchObject({ source: 'introduction', form: 'overview' });
    expect(parts(answer)[1]).toBe('[1] `README.md:5-5` — Lamp\n> Lamp is a light for the whole house.');
  });

  it('is answered by the manifest first, and quotes three places', () => {
    const more = 'It is a lamp that is lit.\n\n'.repeat(4);
    const { ask } = open({ 'README.md': README + more, 'package.json': '{\n  "description": "Lights the house"\n}\n' });
    const answer = ask('What is this?');
    expect(parts(answer)[0]).toBe('Lights the house [1]');
    expect(places(answer)).toEqual(['package.json:2-2', 'README.md:3-3', 'README.md:8-8']);
    expect(parts(answer)[1]).toBe(
      '[1] `package.json:2-2` — description\n```json\n  "description": "Lights the house"\n```',
    );
  });

  it('is searched for when no front page can be cited', () => {
    const { trace } = open({ 'README.md': README }, { cite: () => () => undefined });
    expect(trace({ text: 'What does this project do?' }).trace.source).toBe('text');
    const { ask } = open(
      { 'README.md': README },
      { cite: (cite) => (path, start, end) => (start === 3 ? undefined : cite(path, start, end)) },
    );
    expect(places(ask('What does this project do?'))).toEqual(['README.md:5-5']);
    expect(parts(ask('What does this project do?'))[0]).toBe('It burns oil and is lit by hand each evening. [1]');
  });

  it('says what is not read yet', () => {
    const { ask } = open({ 'README.md': README });
    expect(parts(ask('What does this project do?', {}, { pending: 1 }))[1]).toMatch(
      /^The index is still being built: 1 of 4/,
    );
  });
});

describe('a question that manifests answer', () => {
  const FILES = {
    Makefile: 'test:\n',
    'tox.ini': '[tox]\n',
    'noxfile.py': '@nox.session\n',
    'pytest.ini': '[pytest]\n',
  };

  it('is answered by the first, with quotes of three', () => {
    const { answer, trace } = open(FILES).trace({ text: 'How do I run the tests?' });
    expect(parts(answer)[0]).toBe('The tests run with `make test` (`Makefile:1`). [1]');
    expect(places(answer)).toEqual(['Makefile:1-1', 'tox.ini:1-1', 'noxfile.py:1-1']);
    expect(parts(answer)[1]).toBe('[1] `Makefile:1-1`\n```\ntest:\n```');
    expect(trace).toMatchObject({ source: 'manifests', form: 'test', candidates_total: 4 });
    expect(trace.candidates.map(({ path, fate }) => `${path} ${fate}`)).toEqual([
      ...['Makefile quoted', 'tox.ini quoted', 'noxfile.py quoted', 'pytest.ini enough'],
    ]);
  });

  it('says of some facts more than one', () => {
    const { ask, trace } = open({
      'a.go': '\nfunc main() {\n',
      'go.mod': 'module example.org/lamp\n',
      'b/c.go': 'func main() {\n',
    });
    expect(parts(ask('What is the entry point?'))[0]).toBe(
      'The program starts in `a.go` (`a.go:2`). [1] The program starts in `b/c.go` (`b/c.go:1`). [2] ' +
        'It is imported as `example.org/lamp` (`go.mod:1`). [3]',
    );
    expect(trace({ text: 'What is the entry point?' }).trace).toMatchObject({ source: 'manifests', form: 'entry' });
  });

  it('leaves out what cannot be cited', () => {
    const { ask } = open(FILES, {
      cite:
        (cite) =>
        (path, ...lines) =>
          path === 'Makefile' ? undefined : cite(path, ...lines),
    });
    expect(places(ask('How do I run the tests?'))).toEqual(['tox.ini:1-1', 'noxfile.py:1-1', 'pytest.ini:1-1']);
  });

  it('is searched for when none does', () => {
    const { trace } = open({ 'a.md': 'The tests are run by hand.' });
    expect(trace({ text: 'How do I run the tests?' }).trace.source).toBe('text');
  });

  it('is read anew when files were added', () => {
    const { ask, put } = open({ 'a.md': 'x' });
    expect(ask('How do I run the tests?').confidence).toBe('none');
    put('Makefile', 'test:\n');
    expect(places(ask('How do I run the tests?'))).toEqual(['Makefile:1-1']);
  });
});

describe('a question about the past', () => {
  const COMMITS: Commit[] = [
    { hash: 'a'.repeat(40), at: 0, author: 'Ada', subject: 'Light the lamp', paths: ['a.md'] },
  ];

  it('is answered by the log, with the files as they are', () => {
    const { database, trace } = open({ 'a.md': 'The lamp is lit.\n', 'b.md': 'The lamp is lit.\n' });
    database.putCommits(COMMITS);
    const { answer, trace: notes } = trace({ text: 'When was the lamp changed?' });
    expect(parts(answer)[0]).toBe('In the git log: 1970-01-01, commit `aaaaaaaaaaaa` by Ada: “Light the lamp”');
    expect(places(answer)).toEqual(['a.md:1-1']);
    expect(notes).toMatchObject({ source: 'history', form: 'history', candidates_total: 1 });
  });

  it('is searched for when the log says nothing, or when it is about something else', () => {
    const { database, trace } = open({ 'a.md': 'The lamp is lit.\n' });
    expect(trace({ text: 'When was the lamp changed?' }).trace.source).toBe('text');
    database.putCommits(COMMITS);
    expect(trace({ text: 'How is the lamp lit?' }).trace.source).toBe('text');
    const none = open({ 'a.md': 'The lamp is lit.\n' }, { cite: () => () => undefined });
    none.database.putCommits(COMMITS);
    expect(none.trace({ text: 'When was the lamp changed?' }).answer.confidence).toBe('none');
  });
});

describe('a question that is searched for', () => {
  const FILES = {
    'src/lamp.ts': '/** Lights the lamp. */\nexport function lightLamp() {}\n',
    'a.md': 'The wick is long.\n',
  };

  it('is found by a definition', () => {
    const { answer, trace } = open(FILES).trace({ text: 'Where is lightLamp?' });
    expect(answer.confidence).toBe('found');
    expect(parts(answer)[0]).toBe('**`lightLamp`** is in `src/lamp.ts`, line 2: Lights the lamp. [1]');
    expect(trace).toMatchObject({ source: 'text', form: 'where' });
    expect(trace.stages.map(({ stage }) => stage)).toEqual([
      'question',
      'facts',
      'search',
      'facts',
      'search',
      'decision',
    ]);
    expect(trace.evidence?.coverage).toBe(1);
    expect(trace.candidates[0]?.fate).toBe('quoted');
  });

  it('is probably found, and stated by no sentence', () => {
    const { answer } = open({ 'a.md': 'The wick is long.\n', 'b.md': 'The wick is red.\n' }).trace({
      text: 'How long is the wick?',
    });
    expect(answer.confidence).toBe('likely');
    expect(parts(answer)[0]).toMatch(/^Probably here: `[ab]\.md:1-1`/);
    expect(answer.citations).toHaveLength(2);
  });

  it('is not found, and names what is near', () => {
    const files = {
      'a.md': '# Wick one\n\nx\n\n\n\n# Wick two\n\nx\n\n\n\n# Wick three\n\nx\n',
      'b.md': '# Cord one\n\nx\n\n\n\n# Cord two\n\nx\n',
      'c.md': '# Beam\n\nx\n',
    };
    const { ask } = open(files, { submodules: () => ['sub'] });
    const answer = ask('How do wick cord beam Kubernetes webhook nginx postgres redis?', {}, { left_out: 1 });
    expect(answer).toMatchObject({ confidence: 'none', citations: [] });
    expect(parts(answer)).toEqual([
      'Not found in this project.',
      expect.stringMatching(
        /^Searched 3 files for .*`redis`\. Left out: the submodule `sub`\. Nowhere in it: `kubernetes`/,
      ),
      'Nearest names: `Beam` (`c.md:1`), `Cord one` (`b.md:1`), `Cord two` (`b.md:7`), `Wick one` (`a.md:1`).',
      NO_MODEL_LINE,
    ]);
  });

  it('names what is near its three heaviest words', () => {
    const files = {
      'a.md': '# Bulb\n\nbulb\n',
      'b.md': '# Wick\n\nbulb\n',
      'c.md': '# Cord\n\nbulb\n',
      'd.md': '# Beam\n\nbulb\n',
    };
    const near = (text: string) => parts(open(files).ask(`${text} Kubernetes webhook nginx postgres redis?`)).at(-2);
    expect(near('How do bulb wick cord beam')).toBe(
      'Nearest names: `Wick` (`b.md:1`), `Cord` (`c.md:1`), `Beam` (`d.md:1`).',
    );
    expect(near('How do bulb wick cord')).toBe(
      'Nearest names: `Wick` (`b.md:1`), `Cord` (`c.md:1`), `Bulb` (`a.md:1`).',
    );
  });

  it('is not found when what was found cannot be cited', () => {
    expect(open(FILES, { cite: () => () => undefined }).ask('Where is lightLamp?')).toMatchObject({
      confidence: 'none',
    });
  });

  it('prefers the paths that the member should know, however they are written', () => {
    const { ask } = open({ 'src/a.md': 'The wick is long.\n', 'doc/b.md': 'The wick is long.\n' });
    const first = (...refs: string[]) => ask('How long is the wick?', { refs }).citations[0]?.path;
    expect(first()).toBe('doc/b.md');
    expect(first('src')).toBe('src/a.md');
    expect(first('./src/a.md')).toBe('src/a.md');
    expect(first('x/./src')).toBe('doc/b.md');
    expect(first('http://src', 'HTTPS://src')).toBe('doc/b.md');
    expect(first('src/a.md#http://x')).toBe('doc/b.md');
  });

  it('quotes what came with it', () => {
    const { ask } = open(FILES);
    const docs = [{ filename: 'notes.md', content: 'The wick is long.' }];
    expect(ask('How long is the wick?', { context_docs: docs }).text).toContain('From `notes.md`, which came with');
    expect(ask('How long is the wick?').text).not.toContain('which came with');
  });
});
