import { type FormEvent, useEffect, useRef } from 'react';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { useDraft } from '../../../lib/drafts.js';
import { isEscape } from '../../../lib/keys/is-escape.js';
import { isApple } from '../../../lib/platform.js';
import { COMMENT_MAX_CHARS } from '../limits.js';

interface CommentFormProps {
  /** Where the unsaved text is kept, so that a lost connection or a reload does not lose it. */
  place: string;
  label: string;
  initial?: string;
  submitLabel: string;
  isBusy: boolean;
  error: Error | null;
  /** Saves the text, and calls `done` once it is saved. */
  onSave: (text: string, done: () => void) => void;
  onClose: () => void;
}

/** The form of a comment. Ctrl or ⌘ with Enter saves; Esc closes it and keeps the text for the next time. */
export function CommentForm({
  place,
  label,
  initial = '',
  submitLabel,
  isBusy,
  error,
  onSave,
  onClose,
}: CommentFormProps) {
  const draft = useDraft(place, initial);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const words = draft.value.trim();
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (words === '' || isBusy) return;
    onSave(words, () => {
      draft.clear();
      onClose();
    });
  };
  return (
    <form className="note" onSubmit={submit}>
      <TextArea
        ref={area}
        label={label}
        rows={3}
        maxLength={COMMENT_MAX_CHARS}
        value={draft.value}
        hint={`${isApple ? '⌘' : 'Ctrl'} Enter saves, Esc closes.`}
        onChange={(event) => draft.set(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          if (!isEscape(event.nativeEvent)) return;
          event.stopPropagation();
          onClose();
        }}
      />
      {error && <ErrorPanel what="The comment was not saved. Your text is kept." error={error} />}
      <div className="cluster">
        <Button type="submit" look="primary" isSmall isBusy={isBusy}>
          {submitLabel}
        </Button>
        <Button
          isSmall
          onClick={() => {
            draft.clear();
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}
