import type { ContextDoc } from '../../../daemon/contract/asks.js';
import type { ASK_DOC_MAX_CHARS } from '../../../daemon/contract/limits.js';

const DOC_MAX_CHARS = 65_536 satisfies typeof ASK_DOC_MAX_CHARS;

/**
 * Reads text files to attach. A file that is too long, not text or beyond `max` is left out and reported in `problem`.
 */
export async function readDocs(
  files: readonly File[],
  known: readonly ContextDoc[],
  max: number,
): Promise<{ docs: ContextDoc[]; problem: string | undefined }> {
  const docs = [...known];
  const problems: string[] = [];
  for (const file of files) {
    const filename = file.name.slice(0, 255);
    const content = await file.text();
    if (content.includes('\0') || content.includes('\uFFFD')) problems.push(`${filename} is not a text file.`);
    else if (content.length > DOC_MAX_CHARS) problems.push(`${filename} is longer than ${DOC_MAX_CHARS} characters.`);
    else if (docs.length >= max && !docs.some((doc) => doc.filename === filename))
      problems.push(`At most ${max} documents can be attached.`);
    else {
      const at = docs.findIndex((doc) => doc.filename === filename);
      if (at === -1) docs.push({ filename, content });
      else docs[at] = { filename, content };
    }
  }
  return { docs, problem: problems.length > 0 ? [...new Set(problems)].join(' ') : undefined };
}
