import { describe, expect, it } from 'vitest';
import type { StructureQuestion } from './question.js';
import { type Shown, scoreAnswer } from './score.js';

const shown = (path: string, startLine: number, endLine = startLine, text = ''): Shown => ({
  path,
  startLine,
  endLine,
  text,
});
const callers = (truth: string[], also: string[] = []): StructureQuestion => ({
  kind: 'callers',
  text: 'Who calls f?',
  about: 'f',
  truth,
  also,
});
const score = (question: StructureQuestion, places: Shown[], isRefused = false) =>
  scoreAnswer(question, { shown: places, isRefused }, ['.c']);

describe('the score of an answer about structure', () => {
  it('counts a place within two lines, and no farther', () => {
    expect(score(callers(['a.c:10']), [shown('a.c', 12)]).f1).toBe(1);
    expect(score(callers(['a.c:10']), [shown('a.c', 13)]).f1).toBe(0);
    expect(score(callers(['a.c:10']), [shown('b.c', 10)]).f1).toBe(0);
  });

  it('lowers precision by wrong places and not by those that may be shown', () => {
    const found = score(callers(['a.c:10'], ['a.c:30']), [shown('a.c', 30), shown('a.c', 10), shown('a.c', 90)]);
    expect(found).toMatchObject({ precision: 0.5, recall: 1, isFirstRight: false });
  });

  it('lowers recall by each place that is missing', () => {
    expect(score(callers(['a.c:10', 'a.c:50']), [shown('a.c', 10)])).toMatchObject({ precision: 1, recall: 0.5 });
  });

  it('does not take a citation of a whole file for every place in it', () => {
    expect(score(callers(['a.c:10', 'a.c:500']), [shown('a.c', 1, 1_000)]).recall).toBe(0.5);
  });

  it('wants it said that nobody calls a function', () => {
    expect(score(callers([]), []).f1).toBe(1);
    expect(score(callers([]), [], true).f1).toBe(0);
    expect(score(callers([]), [shown('a.c', 4)]).f1).toBe(0);
    expect(score(callers([], ['a.c:4']), [shown('a.c', 4)]).f1).toBe(1);
  });

  it('counts a file once, however often it is shown', () => {
    const question: StructureQuestion = { kind: 'importers', text: '', about: 'x.h', truth: ['a.c', 'b.c'] };
    const found = score(question, [shown('a.c', 1), shown('a.c', 90), shown('b.c', 3), shown('c.c', 1)]);
    expect(found.precision).toBeCloseTo(2 / 3);
    expect(found.recall).toBe(1);
  });

  it('counts names in the text of right places only', () => {
    const question: StructureQuestion = {
      kind: 'environment',
      text: '',
      about: '',
      truth: ['a.c:10', 'a.c:20'],
      names: ['HOME', 'TERM'],
    };
    const found = score(question, [shown('a.c', 10, 10, 'getenv("HOME")'), shown('run.sh', 4, 4, '$TERM $HOME_DIR')]);
    expect(found).toMatchObject({ precision: 1, recall: 0.5 });
  });
});
