import { type FormEvent, useState } from 'react';
import type { RatingValue, RequestDetail } from '../../../daemon/contract/asks.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { fetched } from '../../lib/fetched.js';
import { useRateRequest } from './asks-mutations.js';
import styles from './rate-answer.module.css';

/** The daemon keeps no more characters. */
const NOTE_MAX = 1_000;
const RequestTestForm = fetched(() => import('./request-test.js'));
const LABELS: Readonly<Record<RatingValue, string>> = { up: 'Good answer', down: 'Bad answer' };

/** Lets the operator rate an answer, say why, and withdraw the rating by pressing it again. */
export function RateAnswer({ request }: { request: RequestDetail }) {
  const { request_id, rating } = request;
  const rate = useRateRequest(request_id);
  return (
    <div className={styles.rate}>
      <fieldset className={styles.choices}>
        <legend className={styles.label}>Your rating. Only you see it.</legend>
        {(['up', 'down'] as const).map((value) => {
          const isPressed = rating?.value === value;
          return (
            <Button
              key={value}
              isSmall
              look={isPressed ? 'primary' : 'secondary'}
              aria-pressed={isPressed}
              isBusy={rate.isPending}
              onClick={() => rate.mutate(isPressed ? undefined : { value, note: rating?.note ?? '' })}
            >
              {LABELS[value]}
            </Button>
          );
        })}
      </fieldset>
      {rating && (
        <NoteForm
          key={rating.note}
          note={rating.note}
          isBusy={rate.isPending}
          onSave={(note) => rate.mutate({ value: rating.value, note })}
        />
      )}
      {rating && <RequestTestForm key={rating.value} request={request} />}
      {rate.error && <p role="alert">The rating was not kept: {rate.error.message}</p>}
    </div>
  );
}

interface NoteFormProps {
  note: string;
  isBusy: boolean;
  onSave: (note: string) => void;
}

function NoteForm({ note, isBusy, onSave }: NoteFormProps) {
  const [text, setText] = useState(note);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(text);
  };
  return (
    <form className={styles.note} onSubmit={submit}>
      <TextField
        label="Why"
        value={text}
        maxLength={NOTE_MAX}
        placeholder="for example: it quotes the wrong file"
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        type="submit"
        isSmall
        isBusy={isBusy}
        reasonDisabled={text === note ? 'This is what is kept.' : undefined}
      >
        Keep
      </Button>
    </form>
  );
}
