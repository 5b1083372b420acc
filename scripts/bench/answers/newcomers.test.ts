import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readIntent } from '../../../daemon/features/knowledge/project-facts/newcomer-intent.js';
import { readStructureQuestion } from '../../../daemon/features/knowledge/structure/question-forms.js';

/** Wordings of others for a project called Lamp, which does not exist, with what each of them asks. */
const wordings = JSON.parse(readFileSync(new URL('./newcomers/wordings.json', import.meta.url), 'utf8')) as [
  string,
  string,
][];

function recognise(text: string): string {
  const intent = readIntent(text, ['lamp']);
  if (intent) return intent.kind === 'task' ? intent.task : intent.kind;
  return readStructureQuestion(text)?.form === 'callers' ? 'callers' : 'none';
}

/** How many of a kind are recognised. To build and to install are answered by the same facts. */
function countRight(kind: string): [right: number, all: number] {
  const some = wordings.filter(([, wanted]) => wanted === kind);
  const isSame = (got: string) => got === kind || ['build', 'install'].every((task) => [got, kind].includes(task));
  return [some.filter(([text]) => isSame(recognise(text))).length, some.length];
}

describe('newcomers’ questions in the words of others', () => {
  it.each(['purpose', 'test', 'build', 'install', 'licence', 'entry', 'environment', 'callers'])('%s', (kind) => {
    const [right, all] = countRight(kind);
    expect(all).toBe(40);
    expect(right).toBeGreaterThanOrEqual(34);
  });

  it('and hardly any other question is taken for one', () => {
    const [right, all] = countRight('none');
    expect(all).toBe(60);
    expect(right).toBeGreaterThanOrEqual(57);
  });
});
