import { useState } from 'react';
import type { ContextDoc } from '../../../../daemon/contract/asks.js';
import type { MESSAGE_DOCS_MAX } from '../../../../daemon/contract/conversations.js';
import type { ASK_DOC_MAX_CHARS } from '../../../../daemon/contract/limits.js';

const DOCS_MAX = 16 satisfies typeof MESSAGE_DOCS_MAX;
const DOC_MAX_CHARS = 65_536 satisfies typeof ASK_DOC_MAX_CHARS;

/**
 * Reads text files to attach. A file that is too long, not text or beyond the maximum is left out and reported in
 * `problem`.
 */
async function readDocs(
  files: readonly File[],
  known: readonly ContextDoc[],
): Promise<{ docs: ContextDoc[]; problem: string | undefined }> {
  const docs = [...known];
  const problems: string[] = [];
  for (const file of files) {
    const filename = file.name.slice(0, 255);
    const content = await file.text();
    if (content.includes('\0') || content.includes('\uFFFD')) problems.push(`${filename} is not a text file.`);
    else if (content.length > DOC_MAX_CHARS) problems.push(`${filename} is longer than ${DOC_MAX_CHARS} characters.`);
    else if (docs.length >= DOCS_MAX && !docs.some((doc) => doc.filename === filename))
      problems.push(`At most ${DOCS_MAX} documents can be attached.`);
    else {
      const at = docs.findIndex((doc) => doc.filename === filename);
      if (at === -1) docs.push({ filename, content });
      else docs[at] = { filename, content };
    }
  }
  return { docs, problem: problems.length > 0 ? [...new Set(problems)].join(' ') : undefined };
}

export interface AttachedDocs {
  docs: ContextDoc[];
  /** Why a chosen file was left out. */
  problem: string | undefined;
  attach: (files: readonly File[]) => void;
  remove: (doc: ContextDoc) => void;
  /** Removes the documents that were sent and keeps those attached since. */
  removeSent: (sent: readonly ContextDoc[]) => void;
}

/** The documents attached to the message that is being written. */
export function useAttachedDocs(): AttachedDocs {
  const [docs, setDocs] = useState<ContextDoc[]>([]);
  const [problem, setProblem] = useState<string>();
  return {
    docs,
    problem,
    attach: (files) =>
      void readDocs(files, docs).then((read) => {
        setDocs(read.docs);
        setProblem(read.problem);
      }),
    remove: (doc) => setDocs(docs.filter((one) => one !== doc)),
    removeSent: (sent) => {
      setDocs((attached) => attached.filter((doc) => !sent.includes(doc)));
      setProblem(undefined);
    },
  };
}
