import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import styles from './conversation-page.module.css';
import type { TranscriptStore } from './transcript/transcript-store.js';

interface GoToDateProps {
  store: TranscriptStore;
  /** Receives the id of the message to show. */
  onFound: (message: string) => void;
}

/** Goes to the first message of a day, or to the next one after it. */
export function GoToDate({ store, onFound }: GoToDateProps) {
  const [date, setDate] = useState('');
  const search = useMutation({
    mutationFn: async (day: string) => (await store.findSince(Date.parse(`${day}T00:00`)))?.id ?? null,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (date === '' || search.isPending) return;
    // Not called once the page has been left.
    search.mutate(date, { onSuccess: (message) => message !== null && onFound(message) });
  };
  return (
    <form className={styles.goToDate} onSubmit={submit}>
      <TextField
        type="date"
        label="Go to a date"
        // Limits the year to four digits.
        max="9999-12-31"
        value={date}
        error={search.error?.message ?? (search.data === null ? 'There is no message since then.' : undefined)}
        onChange={(event) => {
          setDate(event.target.value);
          search.reset();
        }}
      />
      <Button type="submit" isBusy={search.isPending} reasonDisabled={date === '' ? 'Choose a date first.' : undefined}>
        Go
      </Button>
    </form>
  );
}
