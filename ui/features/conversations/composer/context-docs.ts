import { useState } from 'react';
import type { ContextDoc } from '../../../../daemon/contract/asks.js';
import type { MESSAGE_DOCS_MAX } from '../../../../daemon/contract/conversations.js';
import type { ASK_DOC_MAX_CHARS } from '../../../../daemon/contract/limits.js';
import { useChangeDraft } from '../../../lib/change-draft.js';
import { useDraft } from '../../../lib/drafts.js';
import { docsPlace } from './composer-draft.js';

const DOCS_MAX = 16 satisfies typeof MESSAGE_DOCS_MAX;
const DOC_MAX_CHARS = 65_536 satisfies typeof ASK_DOC_MAX_CHARS;
/** No text of that many characters has more bytes. */
const DOC_MAX_BYTES = 4 * DOC_MAX_CHARS;
const NONE: ContextDoc[] = [];

/** Reads a text file to attach, or returns why it is left out. A file that is too long is not read. */
export async function readDoc(file: Pick<File, 'name' | 'size' | 'text'>): Promise<ContextDoc | string> {
  const filename = file.name.slice(0, 255);
  const tooLong = `${filename} is longer than ${DOC_MAX_CHARS} characters.`;
  if (file.size > DOC_MAX_BYTES) return tooLong;
  const content = await file.text().catch(() => undefined);
  if (content === undefined) return `${filename} could not be read.`;
  if (content.includes('\0') || content.includes('\uFFFD')) return `${filename} is not a text file.`;
  return content.length > DOC_MAX_CHARS ? tooLong : { filename, content };
}

/** Returns the documents with one more, which replaces that of its name. */
const withDoc = (docs: ContextDoc[], added: ContextDoc): ContextDoc[] =>
  docs.some(({ filename }) => filename === added.filename)
    ? docs.map((doc) => (doc.filename === added.filename ? added : doc))
    : [...docs, added];

export interface AttachedDocs {
  docs: ContextDoc[];
  /** Why a chosen file was left out. */
  problem: string | undefined;
  attach: (files: readonly File[]) => void;
  remove: (doc: ContextDoc) => void;
  /** Removes the documents that were sent and keeps those attached since. */
  removeSent: (sent: readonly ContextDoc[]) => void;
}

/** The documents attached to the message that is being written. They are kept as long as its text. */
export function useAttachedDocs(conv: string): AttachedDocs {
  const { value: docs } = useDraft(docsPlace(conv), NONE);
  const change = useChangeDraft<ContextDoc[]>(docsPlace(conv));
  const [problem, setProblem] = useState<string>();
  const leaveOut = (gone: readonly ContextDoc[]) =>
    change((now = NONE) => {
      const left = now.filter((doc) => !gone.includes(doc));
      return left.length > 0 ? left : undefined;
    });
  const attach = async (files: readonly File[]) => {
    const problems = new Set<string>();
    for (const file of files) {
      const read = await readDoc(file);
      if (typeof read === 'string') problems.add(read);
      else
        change((now = NONE) => {
          const attached = withDoc(now, read);
          if (attached.length <= DOCS_MAX) return attached;
          problems.add(`At most ${DOCS_MAX} documents can be attached.`);
          return now;
        });
    }
    setProblem([...problems].join(' ') || undefined);
  };
  return {
    docs,
    problem,
    attach: (files) => void attach(files),
    remove: (doc) => leaveOut([doc]),
    removeSent: (sent) => {
      leaveOut(sent);
      setProblem(undefined);
    },
  };
}
