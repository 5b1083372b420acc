import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readIntent } from '../../../daemon/features/knowledge/newcomers/intent.js';
import { readStructureQuestion } from '../../../daemon/features/knowledge/structure/question-forms.js';

type Wording = [text: string, kind: string, project?: string];

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`./newcomers/${name}.json`, import.meta.url), 'utf8')) as Wording[];
/**
 * Wordings of somebody who had seen neither the lexicons nor what the model was trained on, about eight projects that do
 * not exist. They are looked at as counts only.
 */
const wordings = read('wordings');

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
  it.each([
    ['purpose', 5],
    ['test', 6],
    ['build', 13],
    ['licence', 8],
    ['entry', 15],
    ['environment', 7],
    ['callers', 6],
    ['none', 53],
  ])('%s: at least %i are recognised', (kind, least) => {
    const [right] = countRight(wordings, kind);
    expect(right).toBeGreaterThanOrEqual(least);
  });
});
