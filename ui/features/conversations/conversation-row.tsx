import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import { Badge } from '../../components/badge.js';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { StatusMark } from '../../components/status-mark.js';
import { Ago } from '../../components/time.js';
import { shownWords } from '../../lib/shown-words.js';
import styles from './conversation-row.module.css';
import { standingWord } from './conversation-words.js';

interface ConversationRowProps {
  conversation: Conversation;
  /** The member's shown name; its id or agent type when it is not on the roster. */
  name: string;
  isExposed: boolean;
}

/** A conversation in a list: whose, what about, how it stands, the newest words in it. */
export const ConversationRow = memo(function ConversationRow({ conversation, name, isExposed }: ConversationRowProps) {
  const { conv, member, agent_type, title, preview, pinned, member_gone, from_outside, messages, unread, running, updated_at } =
    conversation;
  const word = standingWord(conversation);
  const trouble = word === 'needs you' ? rows.needs : word === 'failed' ? rows.trouble : '';
  return (
    <li className={`${styles.row} ${trouble}`}>
      <Flag id={member ?? agent_type} size={24} isRaised={running !== null} isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/talk/$conv" params={{ conv }} className={`${rows.main} ${styles.title} truncate`} data-row="">
          {shownWords(title)}
        </Link>
        <p className={`${styles.preview} truncate`}>
          {shownWords(name)}
          {member_gone && ' (gone)'} · {preview === '' ? 'nothing said yet' : shownWords(preview.replace(/\s+/g, ' '))}
        </p>
      </div>
      <div className={styles.marks}>
        {unread > 0 && <Badge tone="well">{unread} new</Badge>}
        {pinned && <Badge>pinned</Badge>}
        {from_outside && <Badge tone="outside">from outside</Badge>}
      </div>
      <span>{word && <StatusMark word={word} />}</span>
      <p className={styles.when}>
        <Ago at={updated_at} />
        <span className="visually-hidden">, {messages} messages</span>
      </p>
    </li>
  );
});
