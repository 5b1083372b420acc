import { type FormEvent, useRef } from 'react';
import type { MemberTests } from '../../../daemon/contract/member-tests.js';
import type { Problem } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { dropSaved, useChangeDraft } from '../../lib/change-draft.js';
import { useDraft } from '../../lib/drafts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useWriteTests } from './tests-queries.js';

interface TestsDraft {
  revision: string | null;
  text: string;
}

/** The draft of the file, which may be behind the version on disk, and its saving. */
function useTestsDraft(tests: MemberTests) {
  const { id, path } = tests;
  const onDisk = tests.text ?? '';
  const place = `member.${id}.tests`;
  const change = useChangeDraft<TestsDraft>(place);
  const draft = useDraft<TestsDraft>(place, { revision: tests.revision, text: onDisk });
  const { text, revision } = draft.value;
  const write = useWriteTests(id);
  const say = useToast();
  const isBehind = draft.isDirty && revision !== tests.revision;
  const save = (over: string | null) =>
    write.mutateAsync({ text, revision: over }).then(
      (saved) => {
        change(dropSaved(text, saved.revision));
        say({ text: `Saved ${path}` });
      },
      () => undefined,
    );
  const type = (typed: string) => {
    if (write.isError) write.reset();
    if (typed === onDisk && !isBehind) draft.clear();
    else draft.set({ revision, text: typed });
  };
  return { text, revision, isDirty: draft.isDirty, isBehind, type, discard: draft.clear, save, write };
}

/** Selects a line of the text in the area, and focuses the area. */
function selectLine(area: HTMLTextAreaElement | null, text: string, line: number) {
  const lines = text.split('\n');
  const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area?.focus();
  area?.setSelectionRange(at, at + (lines[line - 1]?.length ?? 0));
}

/** An editor for the file of a member's tests. A problem is shown with its line. */
export function TestsEditor({ tests }: { tests: MemberTests }) {
  const { path } = tests;
  const { text, revision, isDirty, isBehind, type, discard, save, write } = useTestsDraft(tests);
  const area = useRef<HTMLTextAreaElement>(null);
  if (tests.text === null) {
    return (
      <Notice tone="failed">
        <p>
          <strong>{path} has no text that can be read.</strong> {toDisplayText(tests.problem ?? '')}
        </p>
      </Notice>
    );
  }
  const refusal = write.error instanceof ApiError ? write.error : undefined;
  const hasConflict = (isBehind && !write.isPending) || refusal?.code === 'file_changed';
  const wrong = findProblem(refusal) ?? (isDirty ? undefined : findFileProblem(tests));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(revision);
  };
  return (
    <form onSubmit={submit} className="stack" aria-label={path}>
      <TextArea
        ref={area}
        label={path}
        hint="A heading that begins with ## is a question. The list below it states what the answer must contain: cites, says, never says, not found."
        error={wrong && `Line ${wrong.line}: ${toDisplayText(wrong.reason)}`}
        isCode
        rows={16}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      {hasConflict && (
        <ConflictNotice
          path={path}
          isBusy={write.isPending}
          onOverwrite={() => save(tests.revision)}
          onDiscard={discard}
        />
      )}
      {write.error && !hasConflict && !findProblem(refusal) && (
        <ErrorPanel what="The file was not saved." error={write.error} />
      )}
      <div className="cluster">
        <Button
          look="primary"
          type="submit"
          isBusy={write.isPending}
          reasonDisabled={!isDirty ? 'Nothing has changed.' : hasConflict ? 'Resolve the conflict first.' : undefined}
        >
          Save
        </Button>
        {isDirty && <Button onClick={discard}>Discard</Button>}
        {wrong && <Button onClick={() => selectLine(area.current, text, wrong.line)}>Go to line {wrong.line}</Button>}
        <span className="quiet">{isDirty ? 'Unsaved.' : 'As on disk.'}</span>
      </div>
    </form>
  );
}

interface ConflictNoticeProps {
  path: string;
  isBusy: boolean;
  onOverwrite: () => void;
  onDiscard: () => void;
}

function ConflictNotice({ path, isBusy, onOverwrite, onDiscard }: ConflictNoticeProps) {
  return (
    <Notice tone="failed" isAlert>
      <p>
        <strong>{path} changed on disk since you started editing.</strong> Your text is still here, unsaved.
      </p>
      <div className="cluster">
        <Button onClick={onOverwrite} isBusy={isBusy}>
          Overwrite with mine
        </Button>
        <Button look="danger" onClick={onDiscard}>
          Use the version on disk
        </Button>
      </div>
    </Notice>
  );
}

function findProblem(refusal: ApiError | undefined): Pick<Problem, 'line' | 'reason'> | undefined {
  const problem = refusal?.details['problem'];
  return typeof problem === 'object' && problem !== null && 'reason' in problem ? (problem as Problem) : undefined;
}

function findFileProblem({ problem, problem_line }: MemberTests): Pick<Problem, 'line' | 'reason'> | undefined {
  return problem === null ? undefined : { line: problem_line ?? 1, reason: problem };
}
