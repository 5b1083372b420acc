import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import type { MemberDetail, MemberFile } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { dropSaved, useChangeDraft } from '../../lib/change-draft.js';
import { useDraft } from '../../lib/drafts.js';
import { SaveBar } from './save-bar.js';
import { useWriteMemberFile } from './team-mutations.js';

export interface RawDraft {
  revision: string;
  text: string;
}

export const rawPlace = (id: string) => `member.${id}.raw`;

/** Returns the range from a place to the end of its line, at least one character. Lines and columns count from 1. */
function restOfLine(text: string, line: number, column: number): [from: number, to: number] {
  const lines = text.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  return [from, from + Math.max(1, (lines[line - 1]?.length ?? 0) - column + 1)];
}

/** The unsaved text of the file, kept when the page is left, and how it is saved. */
function useRawDraft(id: string, file: MemberFile) {
  const draft = useDraft<RawDraft>(rawPlace(id), { revision: file.revision, text: file.text });
  const change = useChangeDraft<RawDraft>(rawPlace(id));
  const { text, revision } = draft.value;
  const write = useWriteMemberFile(id);
  const say = useToast();
  const isBehind = draft.isDirty && revision !== file.revision;
  const saveOver = (over: string) =>
    write.mutateAsync({ text, revision: over }).then(
      (saved) => {
        change(dropSaved(text, saved.revision));
        say({ text: `Saved ${file.path}` });
      },
      () => undefined,
    );
  return {
    text,
    isDirty: draft.isDirty,
    hasConflict:
      (isBehind && !write.isPending) || (write.error instanceof ApiError && write.error.code === 'file_changed'),
    error: write.error,
    isSaving: write.isPending,
    set: (changed: string) => {
      if (write.isError) write.reset();
      if (changed === file.text && !isBehind) draft.clear();
      else draft.set({ revision, text: changed });
    },
    save: () => saveOver(revision),
    /** Replaces the version that is on disk. */
    overwrite: () => saveOver(file.revision),
    discard: draft.clear,
  };
}

/** An editor for the raw text of the member file. */
export function MemberRaw({ member, file }: { member: MemberDetail; file: MemberFile }) {
  const draft = useRawDraft(member.id, file);
  const area = useRef<HTMLTextAreaElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    draft.save();
  };
  const goTo = (line: number, column: number) => {
    const [from, to] = restOfLine(draft.text, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  return (
    <form onSubmit={submit} className="stack" aria-label={`${file.path}, raw`}>
      {member.problem && (
        <p>
          <Button onClick={() => member.problem && goTo(member.problem.line, member.problem.column)}>
            Go to line {member.problem.line}, column {member.problem.column}
          </Button>
        </p>
      )}
      <TextArea
        ref={area}
        label={file.path}
        isCode
        rows={24}
        value={draft.text}
        onChange={(event) => draft.set(event.target.value)}
      />
      <SaveBar
        isChanged={draft.isDirty}
        state={draft.isDirty ? 'Unsaved.' : 'As on disk.'}
        conflict={draft.hasConflict && <Conflict path={file.path} draft={draft} />}
        error={draft.error}
        isSaving={draft.isSaving}
        onDiscard={draft.discard}
      />
    </form>
  );
}

/** The file changed on disk while it was edited: the choice between both versions. */
function Conflict({ path, draft }: { path: string; draft: ReturnType<typeof useRawDraft> }) {
  return (
    <>
      <p>
        <strong>{path} changed on disk since you started editing.</strong> Your text is still here, unsaved.
      </p>
      <div className="cluster">
        <Link from="/team/$id" to="." search={{ tab: 'file', as: 'diff', against: 'disk' }}>
          Show the difference
        </Link>
        <Button onClick={draft.overwrite} isBusy={draft.isSaving}>
          Overwrite with mine
        </Button>
        <Button look="danger" onClick={draft.discard}>
          Use the version on disk
        </Button>
      </div>
    </>
  );
}
