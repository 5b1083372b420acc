import { type FormEvent, useState } from 'react';
import type { Board, Post, Ttl } from '../../../../daemon/contract/boards.js';
import { Dialog, FormActions } from '../../../components/dialog.js';
import { ChoiceField, TextField } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { ApiError } from '../../../lib/api.js';
import { dropSent, useChangeDraft } from '../../../lib/change-draft.js';
import { useDraft } from '../../../lib/drafts.js';
import { WhereField } from '../../places/where-field.js';
import { levelLabels, ttlLabels } from '../board-format.js';
import { usePinPost } from '../board-mutations.js';
import type { BoardVisit } from '../board-visit.js';
import styles from '../boards.module.css';
import { AgeGate } from '../rules/age-gate.js';
import type { BoardRules } from '../rules/board-rules.js';
import { LanguageField } from '../rules/rules-fields.js';
import { BodyField } from './body-field.js';
import {
  EMPTY_POST,
  getDraftKind,
  type PostDraft,
  type PostProblems,
  postProblems,
  refusedField,
  TITLE_MAX_CHARS,
  toPost,
} from './post-draft.js';

const ttls = Object.keys(ttlLabels) as Ttl[];

interface PostFormProps {
  visit: BoardVisit;
  board: Board;
  rules: BoardRules;
  isAdult: boolean;
  onAdult: (age: number) => void;
  onClose: () => void;
  onPosted: (post: Post) => void;
}

/** The draft of a post, its problems, and its submission. */
function usePostDraft({
  visit,
  board,
  rules,
  isAdult,
  onPosted,
}: Pick<PostFormProps, 'visit' | 'board' | 'rules' | 'isAdult' | 'onPosted'>) {
  const place = `post.${visit.cluster.id}.${board.id}`;
  const draft = useDraft<PostDraft>(place, EMPTY_POST);
  const change = useChangeDraft<PostDraft>(place);
  const pin = usePinPost(visit, board.id, isAdult);
  const [isTried, setIsTried] = useState(false);
  const tried = useDraft(`${place}.key`, { of: '', key: '' });
  const values = draft.value;
  const limit = rules.maxChars?.value;
  const refusal = pin.error instanceof ApiError ? pin.error : undefined;
  const refused = refusedField(refusal);
  const problems: PostProblems = { ...(isTried ? postProblems(values, limit) : {}), ...refused };
  const set = (changed: Partial<PostDraft>) => {
    if (pin.isError) pin.reset();
    draft.set({ ...values, ...changed });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(postProblems(values, limit)).length > 0) return;
    const body = toPost(values);
    // A retry of the same post uses the same idempotency key, also after the form was closed before the response came.
    const of = JSON.stringify(body);
    const key = tried.value.of === of ? tried.value.key : crypto.randomUUID();
    tried.set({ of, key });
    pin.mutateAsync({ body, key }, { onSuccess: ({ post }) => onPosted(post) }).then(
      () => {
        tried.clear();
        change(dropSent(values));
      },
      () => undefined,
    );
  };
  return { values, problems, set, submit, pin, refusal, isFieldRefused: refused !== undefined };
}

/** The form for a new post. The draft survives closing the dialog and a rejected submission. */
export function PostForm({ visit, board, rules, isAdult, onAdult, onClose, onPosted }: PostFormProps) {
  const { values, problems, set, submit, pin, refusal, isFieldRefused } = usePostDraft({
    visit,
    board,
    rules,
    isAdult,
    onPosted,
  });
  if (refusal?.code === 'age_gated')
    return (
      <Dialog title={`Post on ${board.name}`} onClose={onClose}>
        <AgeGate
          age={Number(refusal.details['age_min'] ?? 18)}
          onYes={(age) => {
            pin.reset();
            onAdult(age);
          }}
          onNo={onClose}
        />
      </Dialog>
    );
  return (
    <Dialog title={`Post on ${board.name}`} onClose={onClose} isWide>
      <form
        className="stack"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event);
        }}
        noValidate
      >
        <PostFields board={board} rules={rules} values={values} problems={problems} onChange={set} />
        {pin.error && !isFieldRefused && <ErrorPanel what="The post was not pinned." error={pin.error} />}
        <p className="small quiet">Posted as {visit.handle}. Anybody who uses that name can delete it.</p>
        <FormActions submitLabel="Post" isBusy={pin.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface DraftFieldsProps {
  values: PostDraft;
  problems: PostProblems;
  onChange: (changed: Partial<PostDraft>) => void;
}

function PostFields({
  board,
  rules,
  values,
  problems,
  onChange,
}: DraftFieldsProps & Pick<PostFormProps, 'board' | 'rules'>) {
  return (
    <>
      <TextField
        label="Title"
        autoFocus
        maxLength={2 * TITLE_MAX_CHARS}
        value={values.title}
        error={problems.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <BodyField
        draft={values}
        limit={rules.maxChars?.value}
        error={problems.body}
        hint={
          board.kind === 'events'
            ? 'Write the day as 2026-12-05, or with a time as 2026-12-05 19:30. The agenda uses it.'
            : undefined
        }
        onChange={(body) => onChange({ body })}
      />
      <TtlField ttl={values.ttl} onChange={(ttl) => onChange({ ttl })} />
      <div className={values.lang === '' ? styles.inheriting : undefined}>
        <LanguageField
          value={values.lang}
          inherited={rules.lang && { lang: rules.lang.value, said: levelLabels[rules.lang.from] }}
          onChange={(lang) => onChange({ lang })}
        />
      </div>
      <WhereField
        legend="Where"
        choice={values.where}
        onChange={(where) => onChange({ where })}
        inherited={rules.where && { where: rules.where.value, said: levelLabels[rules.where.from] }}
        error={problems.where}
      />
      <FileLinkFields values={values} problems={problems} onChange={onChange} />
    </>
  );
}

function TtlField({ ttl: chosen, onChange }: { ttl: Ttl; onChange: (ttl: Ttl) => void }) {
  return (
    <fieldset>
      <legend className={styles.legend}>Expires after</legend>
      <div className={styles.choices}>
        {ttls.map((ttl) => (
          <ChoiceField
            key={ttl}
            type="radio"
            name="ttl"
            label={ttlLabels[ttl]}
            checked={chosen === ttl}
            onChange={() => onChange(ttl)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function FileLinkFields({ values, problems, onChange }: DraftFieldsProps) {
  return (
    <details className={styles.file} open={values.fileUrl !== '' || undefined}>
      <summary>Link a file</summary>
      <div className={styles.pair}>
        <TextField
          label="Address of the file"
          type="url"
          hint="Only the address is posted. The file is not fetched until a reader opens it."
          placeholder="https://…"
          maxLength={2048}
          value={values.fileUrl}
          error={problems.fileUrl}
          onChange={(event) => onChange({ fileUrl: event.target.value })}
        />
        <TextField
          label="Its media type"
          maxLength={127}
          placeholder={getDraftKind(values.fileUrl) || 'image/png'}
          value={values.fileKind}
          error={problems.fileKind}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => onChange({ fileKind: event.target.value })}
        />
      </div>
    </details>
  );
}
