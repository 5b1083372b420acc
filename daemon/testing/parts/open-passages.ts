import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { splitLines } from '../../features/knowledge/passages/file-worth.js';
import { splitPassages } from '../../features/knowledge/passages/passages.js';
import { compoundParts } from '../../lib/text/words.js';
import { PassageDatabase } from '../../storage/database/passage-database.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A text index of these files, which all weigh as much, and how to read their lines. */
export function openPassages(files: Readonly<Record<string, string>>, untracked: readonly string[] = []) {
  const database = PassageDatabase.open(join(temporaryFolder(), 'k.db'));
  onTestFinished(() => database.close());
  const texts = new Map(Object.entries(files));
  const linesOf = (path: string) => {
    const text = texts.get(path);
    return text === undefined ? undefined : splitLines(text);
  };
  const put = (path: string, text: string) => {
    texts.set(path, text);
    const lines = splitLines(text);
    const tracked = !untracked.includes(path);
    const file = { path, size: text.length, mtimeMs: 1, sha256: path, settled: true, tracked, worth: 1, isText: true };
    database.put(
      file,
      splitPassages(path, lines).map((passage) => {
        const own = lines.slice(passage.startLine - 1, passage.endLine).join('\n');
        const pathWords = `${path} ${compoundParts(path)}`;
        return { ...passage, pathWords, names: compoundParts(passage.title, own), text: own };
      }),
    );
  };
  database.together(() => {
    for (const [path, text] of Object.entries(files)) put(path, text);
  });
  return { database, linesOf, put, texts };
}
