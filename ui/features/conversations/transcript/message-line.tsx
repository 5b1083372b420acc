import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Message } from '../../../../daemon/contract/conversations.js';
import { Button } from '../../../components/button.js';
import { Flag } from '../../../components/text/flag.js';
import { PlainProse } from '../../../components/text/prose.js';
import { Clock } from '../../../components/text/time.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { Answer } from '../../asks/answer.js';
import { AnswerKind } from '../../asks/answer-kind.js';
import { formatCitations } from '../../asks/citation-format.js';
import { Citations } from '../../asks/citations.js';
import { formatDropped } from '../conversation-format.js';
import { ToolRows } from './tool-rows.js';
import styles from './transcript.module.css';

/** The names and flags of the speakers of a conversation. */
export interface Speakers {
  member: { id: string; name: string; isExposed: boolean };
  project: string;
}

interface LogLineProps {
  at: string | undefined;
  /** Id of the message that the time links to. */
  link?: string;
  flag: string;
  name: string;
  mark?: ReactNode;
  acts?: ReactNode;
  isOutside?: boolean;
  isRaised?: boolean;
  isExposed?: boolean;
  children: ReactNode;
}

/** A line of the transcript: time, flag, name and content. */
export function LogLine({
  at,
  link,
  flag,
  name,
  mark,
  acts,
  isOutside = false,
  isRaised = false,
  isExposed = false,
  children,
}: LogLineProps) {
  return (
    <div className={isOutside ? `${styles.line} ${styles.outside}` : styles.line}>
      <span className={styles.time}>
        {at !== undefined && link ? (
          <Link from="/talk/$conv" to="." search={(was) => ({ ...was, message: link })} replace resetScroll={false}>
            <Clock at={at} />
          </Link>
        ) : (
          at !== undefined && <Clock at={at} />
        )}
      </span>
      <span className={styles.flag}>
        <Flag id={flag} size={24} isRaised={isRaised} isExposed={isExposed} />
      </span>
      <div className={styles.message}>
        <p className={styles.who}>
          <strong>{name}</strong> {mark} {acts}
        </p>
        {children}
      </div>
    </div>
  );
}

interface MessageLineProps {
  message: Message;
  voices: Speakers;
  ending?: ReactNode;
  /** Puts the message into the composer as a quotation; undefined while nothing can be sent. */
  onQuote?: ((message: Message) => void) | undefined;
}

/** One message. */
export function MessageLine({ message, voices, ending, onQuote }: MessageLineProps) {
  const acts = onQuote && message.text !== '' && (
    <Button isSmall look="quiet" className={styles.quote} onClick={() => onQuote(message)}>
      Quote
    </Button>
  );
  const docs = message.context_docs;
  if (message.role === 'user') {
    return (
      <LogLine
        at={message.created_at}
        link={message.id}
        flag={message.from_outside ? 'outside' : (message.asked_by ?? voices.project)}
        name={message.from_outside ? 'A program' : toDisplayText(message.asked_by ?? 'You')}
        mark={message.from_outside && <span className={styles.outsideWords}>through the API</span>}
        acts={acts}
        isOutside={message.from_outside}
      >
        <PlainProse text={message.text} />
        {docs.length > 0 && (
          <p className={styles.facts}>
            With {docs.length === 1 ? 'a document' : `${docs.length} documents`}: {toDisplayText(docs.join(', '))}
          </p>
        )}
        {ending}
      </LogLine>
    );
  }
  const isAgent = message.role === 'assistant';
  return (
    <LogLine
      at={message.created_at}
      link={message.id}
      flag={isAgent ? voices.member.id : 'meshd'}
      name={isAgent ? voices.member.name : message.role === 'tool' ? 'Tool' : 'meshd'}
      acts={isAgent && acts}
      isExposed={isAgent && voices.member.isExposed}
    >
      <ToolRows calls={message.calls} />
      <AnswerKind confidence={message.confidence} searched={message.searched} />
      {message.text !== '' && (
        <Answer cited={{ conv: message.conv }} text={message.text} citations={message.citations} />
      )}
      {message.citations.length > 0 && (
        <details className={styles.cited} open={message.citations.length <= 4}>
          <summary>{formatCitations(message.citations, message.total)}</summary>
          <Citations cited={{ conv: message.conv }} citations={message.citations} />
        </details>
      )}
      {message.dropped_citations > 0 && <p className={styles.dropped}>{formatDropped(message.dropped_citations)}</p>}
      {ending}
    </LogLine>
  );
}
