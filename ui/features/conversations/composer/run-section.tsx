import { type FormEvent, useRef, useState } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import { Button } from '../../../components/button.js';
import { KeyValue } from '../../../components/notes.js';
import { Section } from '../../../components/section.js';
import { ErrorPanel } from '../../../components/states.js';
import { useToast } from '../../../components/toasts.js';
import { formatModel } from '../../../lib/format/format-model.js';
import { toUndo } from '../conversation-changes.js';
import { formatResolved } from '../conversation-format.js';
import { usePatchConversation } from '../conversation-mutations.js';
import styles from '../conversation-page.module.css';
import { toOverrides, toRunChoices } from './run-choices.js';
import { RunFields } from './run-fields.js';

interface RunSectionProps {
  conversation: Conversation;
  /** The client in the member's file; undefined without a member. */
  asMember: string | undefined;
}

/**
 * Shows the resolved client, model and effort of a conversation, and lets the operator override the member's defaults.
 */
export function RunSection({ conversation, asMember }: RunSectionProps) {
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const done = () => {
    setIsEditing(false);
    button.current?.focus();
  };
  const { client, client_resolved, model, model_resolved, effort, effort_resolved, member_gone } = conversation;
  return (
    <Section
      title="Runs on"
      actions={
        !member_gone && (
          <Button
            ref={button}
            isSmall
            look="quiet"
            className={styles.change}
            aria-expanded={isEditing}
            onClick={() => setIsEditing(!isEditing)}
          >
            Change
          </Button>
        )
      }
    >
      {isEditing ? (
        <RunForm conversation={conversation} asMember={asMember} onDone={done} />
      ) : (
        <KeyValue
          rows={[
            ['Client', formatResolved(client, client_resolved) || 'none'],
            ['Model', formatModel(model, model_resolved) || 'none'],
            ['Effort', formatResolved(effort, effort_resolved) || 'default'],
          ]}
        />
      )}
    </Section>
  );
}

function RunForm({ conversation, asMember, onDone }: RunSectionProps & { onDone: () => void }) {
  const { conv, running } = conversation;
  const [choices, setChoices] = useState(() => toRunChoices(conversation));
  const patch = usePatchConversation(conv);
  const say = useToast();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const former = toOverrides(toRunChoices(conversation));
    patch.mutate(toOverrides(choices), {
      onSuccess: (changed) => {
        say({
          text:
            changed.problem ??
            `The next turn runs on ${changed.client_resolved}, ${formatModel(null, changed.model_resolved)}.`,
          ...(changed.problem === null ? {} : { tone: 'failed' }),
          action: toUndo(() => patch.mutateAsync(former), say),
        });
        onDone();
      },
    });
  };
  return (
    <form className={`${styles.runForm} stack`} onSubmit={submit}>
      <RunFields
        choices={choices}
        onChange={(changed) => {
          patch.reset();
          setChoices(changed);
        }}
        asMember={asMember ?? 'auto'}
        emptyWords={asMember === undefined ? 'machine default' : 'member default'}
        isPlaceFixed={conversation.isolation.fixed}
      />
      {running !== null && <p className="small quiet">The running turn is not affected.</p>}
      {patch.error && <ErrorPanel what="It was not changed." error={patch.error} />}
      <div className="cluster">
        <Button type="submit" look="primary" isBusy={patch.isPending}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
