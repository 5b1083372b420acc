import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Conversation } from '../../../../daemon/contract/conversations.js';
import { Badge } from '../../../components/badge.js';
import rows from '../../../components/rows.module.css';
import { StatusMark } from '../../../components/status-mark.js';
import { Flag } from '../../../components/text/flag.js';
import { Ago } from '../../../components/text/time.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toPlainPreview } from '../../../lib/format/plain-preview.js';
import { because, getConversationStatus } from '../conversation-format.js';
import styles from './conversation-row.module.css';

interface ConversationRowProps {
  conversation: Conversation;
  /** The member's display name; its id or agent type when it is not on the roster. */
  name: string;
  isExposed: boolean;
  /** The list already says that it is pinned. */
  hidesPin: boolean;
}

/** A conversation in a list: member, title, state and newest text. */
export const ConversationRow = memo(function ConversationRow({
  conversation,
  name,
  isExposed,
  hidesPin,
}: ConversationRowProps) {
  const {
    conv,
    member,
    agent_type,
    title,
    preview,
    pinned,
    member_gone,
    from_outside,
    schedule,
    messages,
    unread,
    running,
    last_outcome,
    updated_at,
  } = conversation;
  const word = getConversationStatus(conversation);
  // The partial text of a failed turn is not an answer, so the reason is shown instead.
  const newest = word === 'failed' && last_outcome ? because[last_outcome] : toPlainPreview(preview);
  const trouble = word === 'needs you' ? rows.needs : word === 'failed' ? rows.trouble : '';
  return (
    <li className={`${styles.row} ${trouble}`}>
      <Flag id={member ?? agent_type} size={24} isRaised={running !== null} isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/talk/$conv" params={{ conv }} className={`${rows.main} ${styles.title} truncate`} data-row="">
          {toDisplayText(title)}
        </Link>
        <p className={`${styles.preview} truncate`}>
          {toDisplayText(name)}
          {member_gone && ' (gone)'}
          {newest !== title && ` · ${newest === '' ? 'no messages yet' : toDisplayText(newest)}`}
        </p>
      </div>
      <div className={styles.marks}>
        {unread > 0 && <Badge tone="well">{unread} new</Badge>}
        {pinned && !hidesPin && <Badge>pinned</Badge>}
        {schedule && <Badge>scheduled</Badge>}
        {from_outside && <Badge tone="outside">asked through the API</Badge>}
      </div>
      <span className={styles.status}>{word && <StatusMark word={word} />}</span>
      <p className={styles.when}>
        <Ago at={updated_at} />
        <span className="visually-hidden">, {messages} messages</span>
      </p>
    </li>
  );
});
