import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import type { MemberDetail, MemberFile } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { useDraft } from '../../lib/drafts.js';
import styles from './member-form.module.css';
import { useWriteMemberFile } from './team-mutations.js';

export interface RawDraft {
  revision: string;
  text: string;
}

export const rawPlace = (id: string) => `member.${id}.raw`;

/** An editor for the raw text of the member file. */
export function MemberRaw({ member, file }: { member: MemberDetail; file: MemberFile }) {
  const draft = useDraft<RawDraft>(rawPlace(member.id), { revision: file.revision, text: file.text });
  const { text, revision } = draft.value;
  const write = useWriteMemberFile(member.id);
  const say = useToast();
  const area = useRef<HTMLTextAreaElement>(null);
  const isBehind = draft.isDirty && revision !== file.revision;
  const hasConflict = isBehind || (write.error instanceof ApiError && write.error.code === 'file_changed');

  const save = (over: string) =>
    write.mutate(
      { text, revision: over },
      {
        onSuccess: () => {
          draft.clear();
          say({ text: `Saved ${file.path}` });
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(revision);
  };
  const goTo = (line: number, column: number) => {
    const lines = text.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    area.current?.focus();
    area.current?.setSelectionRange(at, at + Math.max(1, (lines[line - 1]?.length ?? 0) - column + 1));
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
        value={text}
        onChange={(event) => {
          write.reset();
          if (event.target.value === file.text && !isBehind) draft.clear();
          else draft.set({ revision, text: event.target.value });
        }}
      />
      <div className={styles.bar}>
        {hasConflict && (
          <Notice tone="failed" isAlert>
            <p>
              <strong>{file.path} changed on disk since you started editing.</strong> Your text is still here, unsaved.
            </p>
            <div className="cluster">
              <Link from="/team/$id" to="." search={{ tab: 'file', as: 'diff', against: 'disk' }}>
                Show the difference
              </Link>
              <Button onClick={() => save(file.revision)} isBusy={write.isPending}>
                Overwrite with mine
              </Button>
              <Button look="danger" onClick={draft.clear}>
                Use the version on disk
              </Button>
            </div>
          </Notice>
        )}
        {write.error && !hasConflict && <ErrorPanel what="The file was not saved." error={write.error} />}
        <Button
          look="primary"
          type="submit"
          isBusy={write.isPending}
          reasonDisabled={
            !draft.isDirty ? 'Nothing has changed.' : hasConflict ? 'Resolve the conflict first.' : undefined
          }
        >
          Save
        </Button>
        {draft.isDirty && <Button onClick={draft.clear}>Discard</Button>}
        <span className="quiet">{draft.isDirty ? 'Unsaved.' : 'As on disk.'}</span>
      </div>
    </form>
  );
}
