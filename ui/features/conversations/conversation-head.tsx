import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import { Badge } from '../../components/badge.js';
import { Button, buttonClass } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { PendingDeletion } from '../../components/pending-deletion.js';
import { ErrorPanel } from '../../components/states.js';
import { StatusMark } from '../../components/status-mark.js';
import { Flag } from '../../components/text/flag.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatModel } from '../../lib/format/format-model.js';
import { isEscape } from '../../lib/keys/is-escape.js';
import { ChangesLink } from '../changes/changes-link.js';
import { NoModelNotice } from '../models/no-model-notice.js';
import { CHANGES, type ChangeName, sayChange } from './conversation-changes.js';
import { formatResolved, getConversationStatus } from './conversation-format.js';
import { busyConversation, usePatchConversation } from './conversation-mutations.js';
import styles from './conversation-page.module.css';
import { useConversationDeletions, useDeleteConversation } from './list/conversation-deletions.js';
import type { Speakers } from './transcript/message-line.js';

interface ConversationHeadProps {
  conversation: Conversation;
  voices: Speakers;
  isAboutShown: boolean;
  onAbout: () => void;
}

/** The head of a conversation: its member, what runs it, and the actions on the whole conversation. */
export function ConversationHead({ conversation, voices, isAboutShown, onAbout }: ConversationHeadProps) {
  const { conv, member, agent_type, archived, pinned, member_gone, from_outside, schedule } = conversation;
  const patch = usePatchConversation(conv);
  const [isRenaming, setIsRenaming] = useState(false);
  const deletion = useConversationDeletions().get(conv);
  const word = getConversationStatus(conversation);
  return (
    <header className={styles.head}>
      {isRenaming ? (
        <Rename conversation={conversation} patch={patch} onDone={() => setIsRenaming(false)} />
      ) : (
        <TitleLine conversation={conversation} voices={voices} onRename={() => setIsRenaming(true)} />
      )}
      <div className={styles.headFacts}>
        <span role="status">{word && <StatusMark word={word} />}</span>
        {member !== null && !member_gone ? (
          <Link to="/team/$id" params={{ id: member }}>
            {voices.member.name}
          </Link>
        ) : (
          <span>{member ?? `${agent_type} agent`}</span>
        )}
        <span className={styles.resolved}>
          {[
            formatResolved(conversation.client, conversation.client_resolved),
            formatModel(conversation.model, conversation.model_resolved),
            conversation.effort_resolved && `effort ${conversation.effort_resolved}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {pinned && <Badge>pinned</Badge>}
        {archived && <Badge>archived</Badge>}
        {schedule && (
          <Link to="/schedules" search={{ show: schedule.id }}>
            Scheduled: {toDisplayText(schedule.title)}
          </Link>
        )}
        {from_outside && <Badge tone="outside">asked through the API</Badge>}
        <span className={styles.acts}>
          <ChangesLink conv={conv} />
          <Button isSmall look="quiet" className={styles.aboutButton} aria-expanded={isAboutShown} onClick={onAbout}>
            About
          </Button>
          <Changes conversation={conversation} patch={patch} isDeleting={deletion !== undefined} />
        </span>
      </div>
      {deletion && (
        <Notice tone="info">
          <PendingDeletion deletion={deletion} what="This conversation" />
        </Notice>
      )}
      <PatchProblem error={patch.error} isRenaming={isRenaming} />
      <ConversationProblem conversation={conversation} />
    </header>
  );
}

type Patch = ReturnType<typeof usePatchConversation>;

interface TitleLineProps {
  conversation: Conversation;
  voices: Speakers;
  onRename: () => void;
}

function TitleLine({ conversation, voices, onRename }: TitleLineProps) {
  return (
    <div className={styles.titleLine}>
      <Flag
        id={voices.member.id}
        size={28}
        isRaised={conversation.running !== null}
        isExposed={voices.member.isExposed}
      />
      <h1 tabIndex={-1} className={styles.title}>
        {toDisplayText(conversation.title)}
      </h1>
      <Button look="quiet" isSmall onClick={onRename}>
        Rename
      </Button>
    </div>
  );
}

interface ChangesProps {
  conversation: Conversation;
  patch: Patch;
  /** The conversation is about to be deleted. */
  isDeleting: boolean;
}

/** The buttons that pin, archive and delete the conversation. */
function Changes({ conversation, patch, isDeleting }: ChangesProps) {
  const { archived, pinned } = conversation;
  const say = useToast();
  const remove = useDeleteConversation();
  const change = (name: ChangeName) =>
    patch.mutate(CHANGES[name].body, { onSuccess: () => sayChange(name, patch.mutateAsync, say) });
  return (
    <>
      <Button isSmall look="quiet" onClick={() => change(pinned ? 'unpin' : 'pin')}>
        {pinned ? 'Unpin' : 'Pin'}
      </Button>
      <Button
        isSmall
        look="quiet"
        isBusy={patch.isPending && patch.variables?.archived !== undefined}
        onClick={() => change(archived ? 'unarchive' : 'archive')}
      >
        {archived ? 'Unarchive' : 'Archive'}
      </Button>
      {!isDeleting && (
        <Button isSmall look="quiet" onClick={() => remove(conversation)}>
          Delete
        </Button>
      )}
    </>
  );
}

/** Why the conversation was not changed. The form that renames it shows its own error. */
function PatchProblem({ error, isRenaming }: { error: Error | null; isRenaming: boolean }) {
  const busy = busyConversation(error);
  if (busy === undefined) return error && !isRenaming && <ErrorPanel what="It was not changed." error={error} />;
  return (
    <Notice tone="info" isAlert>
      <p>{error?.message}</p>
      <Link to="/talk/$conv" params={{ conv: busy }} className={buttonClass()}>
        Open it
      </Link>
    </Notice>
  );
}

/** Why the conversation cannot go on, or not as it was set. */
function ConversationProblem({ conversation }: { conversation: Conversation }) {
  const { member, member_gone, problem, blocked, client_resolved } = conversation;
  if (member_gone)
    return (
      <Notice tone="failed">
        <p>The member {member} is gone: its file was removed. The conversation is read-only.</p>
      </Notice>
    );
  if (problem === null) return <NoModelNotice />;
  const notice = (
    <Notice tone={blocked ? 'failed' : 'info'}>
      <p>{problem}</p>
      <p>
        <Link to="/models">Connect a model</Link>
      </p>
    </Notice>
  );
  // Only a member that works is blocked on the built-in search.
  return blocked && client_resolved === 'builtin' ? <NoModelNotice isWorker otherwise={notice} /> : notice;
}

function Rename({ conversation, patch, onDone }: { conversation: Conversation; patch: Patch; onDone: () => void }) {
  const [title, setTitle] = useState(conversation.title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const words = title.trim();
    if (words === '' || words === conversation.title) onDone();
    else patch.mutate({ title: words }, { onSuccess: onDone });
  };
  return (
    <form className={styles.rename} onSubmit={submit}>
      <h1 className="visually-hidden" tabIndex={-1}>
        {toDisplayText(conversation.title)}
      </h1>
      <TextField
        label="Title"
        hidesLabel
        autoFocus
        maxLength={200}
        value={title}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (isEscape(event.nativeEvent)) onDone();
        }}
      />
      <Button type="submit" look="primary" isBusy={patch.isPending}>
        Save
      </Button>
      <Button onClick={onDone}>Cancel</Button>
      {patch.error && <ErrorPanel what="It was not renamed." error={patch.error} />}
    </form>
  );
}
