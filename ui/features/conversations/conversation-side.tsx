import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Conversation } from '../../../daemon/contract/conversations.js';
import type { Member } from '../../../daemon/contract/team.js';
import { ChoiceField } from '../../components/field.js';
import { EmptyState, KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { BudgetPanel } from '../budgets/budget-panel.js';
import { teamQuery } from '../team/team-queries.js';
import { RulesPanel } from './asked/rules-panel.js';
import { RunSection } from './composer/run-section.js';
import { formatUsage, totalUsage } from './conversation-format.js';
import styles from './conversation-page.module.css';
import { ConversationTree } from './conversation-tree.js';
import { exportPath, FORMATS, isFormat } from './exports.js';
import { FolderSection } from './folder-section.js';
import { GoToDate } from './go-to-date.js';
import { touchedFiles } from './transcript/touched-files.js';
import type { TranscriptStore } from './transcript/transcript-store.js';
import { useLiveTurn, useTranscript } from './transcript/use-transcript.js';

const FILES_SHOWN = 20;

interface ConversationSideProps {
  conversation: Conversation;
  store: TranscriptStore;
  /** Shows a message of the transcript. */
  onGoTo: (message: string) => void;
  isMuted: boolean;
  onMuted: (isMuted: boolean) => void;
}

/**
 * The side panel of a conversation: its member, who asked it and whom it asked, what runs it, where it works, the files it touched, its usage, its export, and whether
 * new messages are announced.
 */
export function ConversationSide({ conversation, store, onGoTo, isMuted, onMuted }: ConversationSideProps) {
  const { conv, member } = conversation;
  const facts = useQuery({ ...teamQuery(), select: (team) => team.members.find((one) => one.id === member) }).data;
  const { messages, turns, hasMore } = useTranscript(store);
  const calls = useLiveTurn(store)?.calls;
  const files = useMemo(() => {
    const live = calls ? [{ calls: [...calls] }] : [];
    return touchedFiles([...messages, ...live], FILES_SHOWN);
  }, [messages, calls]);
  const usage = useMemo(() => totalUsage(turns.values()), [turns]);
  const partly = hasMore ? 'of those shown' : undefined;
  return (
    <div className="sections">
      <Section title="About">
        <About conversation={conversation} facts={facts} />
        {conversation.messages > 0 && <GoToDate store={store} onFound={onGoTo} />}
      </Section>
      <ConversationTree conversation={conversation} />
      <RunSection conversation={conversation} asMember={facts?.client} />
      <FolderSection conversation={conversation} />
      <RulesPanel of={{ conv, member }} />
      <BudgetPanel scope={`conversation:${conv}`} />
      <Section title="Files touched" count={partly}>
        {files.length === 0 ? <EmptyState>No files touched yet.</EmptyState> : <Files conv={conv} files={files} />}
      </Section>
      {usage && (
        <Section title="Used" count={partly}>
          <p className={styles.used}>{formatUsage(usage)}</p>
        </Section>
      )}
      <Section title="Export">
        <p className={styles.exports}>
          {Object.keys(FORMATS)
            .filter(isFormat)
            .map((format) => (
              <a key={format} href={exportPath(conv, format)} download>
                {FORMATS[format]}
              </a>
            ))}
        </p>
        <ChoiceField
          label="Announce new messages to screen readers"
          checked={!isMuted}
          onChange={(event) => onMuted(!event.target.checked)}
        />
      </Section>
    </div>
  );
}

function About({ conversation, facts }: { conversation: Conversation; facts: Member | undefined }) {
  return (
    <KeyValue
      rows={[
        facts && ['Purpose', toDisplayText(facts.description)],
        facts && ['Kind', facts.kind],
        facts && ['Limits', `${facts.limits.turns} turns, ${facts.limits.minutes} min a run`],
        facts?.tools && facts.tools.length > 0 && ['Tools', facts.tools.join(', ')],
        ['Messages', String(conversation.messages)],
        ['Started', <ExactAgo key="started" at={conversation.created_at} />],
        [
          'Id',
          <code key="id" className="small">
            {conversation.conv}
          </code>,
        ],
      ]}
    />
  );
}

function Files({ conv, files }: { conv: string; files: ReturnType<typeof touchedFiles> }) {
  return (
    <ul className={styles.files}>
      {files.map(({ path, from, to, times }) => (
        <li key={path}>
          <Link
            to="/talk/$conv"
            params={{ conv }}
            search={{ file: path, from, to }}
            resetScroll={false}
            className="mono"
          >
            {toDisplayText(path)}
          </Link>{' '}
          {times > 1 && <span className="small quiet">{times} times</span>}
        </li>
      ))}
    </ul>
  );
}
