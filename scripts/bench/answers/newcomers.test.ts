import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readIntent } from '../../../daemon/features/knowledge/project-facts/newcomer-intent.js';
import { readStructureQuestion } from '../../../daemon/features/knowledge/structure/question-forms.js';

type Wording = [text: string, kind: string, project?: string];

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`./newcomers/${name}.json`, import.meta.url), 'utf8')) as Wording[];
/** Wordings of others for a project called Lamp, which does not exist, with what each of them asks. */
const wordings = read('wordings');
/** The same for eight more, each with nouns and circumstances of its own: much harder to tell from other questions. */
const inContext = read('wordings-in-context');

function recognise([text, , project = 'lamp']: Wording): string {
  const intent = readIntent(text, [project.toLowerCase()]);
  if (intent) return intent.kind === 'task' ? intent.task : intent.kind;
  return /^(?:callers|uses)$/.test(readStructureQuestion(text)?.form ?? '') ? 'callers' : 'none';
}

/** How many of a kind are recognised. To build and to install are answered by the same facts. */
function countRight(from: readonly Wording[], kind: string): [right: number, all: number] {
  const some = from.filter(([, wanted]) => wanted === kind);
  const isSame = (got: string) => got === kind || ['build', 'install'].every((task) => [got, kind].includes(task));
  return [some.filter((one) => isSame(recognise(one))).length, some.length];
}

describe('newcomers’ questions in the words of others', () => {
  it.each(['purpose', 'test', 'build', 'install', 'licence', 'entry', 'environment', 'callers'])('%s', (kind) => {
    const [right, all] = countRight(wordings, kind);
    expect(all).toBe(40);
    expect(right).toBeGreaterThanOrEqual(34);
  });

  it('and hardly any other question is taken for one', () => {
    const [right, all] = countRight(wordings, 'none');
    expect(all).toBe(60);
    expect(right).toBeGreaterThanOrEqual(57);
  });

  it.each([
    ['build', 34],
    ['entry', 19],
    ['test', 13],
    ['callers', 29],
    ['none', 46],
  ])('in a context of their own: %s, at least %i', (kind, least) => {
    expect(countRight(inContext, kind)[0]).toBeGreaterThanOrEqual(least);
  });
});
