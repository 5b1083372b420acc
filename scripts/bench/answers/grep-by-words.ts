import { execFileSync } from 'node:child_process';
import { STOPWORDS } from '../../../daemon/features/knowledge/words/english.js';
import { words } from '../../../daemon/lib/text/words.js';
import type { Place } from './plain-bm25.js';

const hasRipgrep = (() => {
  try {
    execFileSync('rg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export const GREP_NAME = hasRipgrep ? 'ripgrep by words' : 'git grep by words';

/** Returns the number of matching lines by file. */
function countMatches(root: string, word: string): Map<string, number> {
  const [program, args] = hasRipgrep
    ? ['rg', ['-i', '-F', '--count', '--', word, '.']]
    : ['git', ['grep', '-i', '-F', '-c', '-e', word]];
  let output = '';
  try {
    output = execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // The word does not occur.
  }
  const found = output.split('\n').filter(Boolean);
  return new Map(
    found.map((line) => {
      const at = line.lastIndexOf(':');
      return [line.slice(0, at).replace(/^\.\//, ''), Number(line.slice(at + 1))];
    }),
  );
}

/** What a person does with grep: files ordered by how many of the question's words they contain, then by how often. */
export function grepByWords(root: string, question: string): Place[] {
  const wanted = [...new Set(words(question))].filter((word) => !STOPWORDS.has(word) && word.length > 2);
  const scores = new Map<string, { distinct: number; hits: number }>();
  for (const word of wanted)
    for (const [path, hits] of countMatches(root, word)) {
      const before = scores.get(path) ?? { distinct: 0, hits: 0 };
      scores.set(path, { distinct: before.distinct + 1, hits: before.hits + hits });
    }
  return [...scores]
    .sort(([a, x], [b, y]) => y.distinct - x.distinct || y.hits - x.hits || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([path]) => ({ path, startLine: 0, endLine: 0 }));
}
