import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { ContextDoc } from '../../../daemon/contract/asks.js';
import type { Conversation, Message } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { Icon } from '../../components/text/icon.js';
import { useToast } from '../../components/toasts.js';
import { BudgetNotices } from '../../features/budgets/budget-notices.js';
import { Announcements } from '../../features/conversations/composer/announcements.js';
import { Composer, type ComposerProps } from '../../features/conversations/composer/composer.js';
import { formatQuote } from '../../features/conversations/composer/quote.js';
import { useSlashActions } from '../../features/conversations/composer/use-slash-actions.js';
import { ConversationHead } from '../../features/conversations/conversation-head.js';
import { useCancelTurn, usePostMessage } from '../../features/conversations/conversation-mutations.js';
import styles from '../../features/conversations/conversation-page.module.css';
import { ConversationSide } from '../../features/conversations/conversation-side.js';
import { conversationQuery } from '../../features/conversations/conversations-queries.js';
import {
  useConversationDeletions,
  useIsConversationDeleted,
} from '../../features/conversations/list/conversation-deletions.js';
import { usePutBack } from '../../features/conversations/list/put-back.js';
import { useDeleteUnused } from '../../features/conversations/list/unused-talks.js';
import type { Speakers } from '../../features/conversations/transcript/message-line.js';
import { EmptyTranscript, TranscriptView } from '../../features/conversations/transcript/transcript.js';
import { findLastUserMessage } from '../../features/conversations/transcript/transcript-lines.js';
import type { TranscriptStore } from '../../features/conversations/transcript/transcript-store.js';
import { useLiveTurn, useTranscriptStore } from '../../features/conversations/transcript/use-transcript.js';
import { useQueue } from '../../features/conversations/use-queue.js';
import { healthQuery } from '../../features/system/system-queries.js';
import { useMuting } from '../../features/system/use-muting.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useEscape } from '../../lib/keys/use-escape.js';
import { useLineStatus } from '../live-updates.js';
import { usePageTitle } from '../page-title.js';
import { MissingPage } from './missing-page.js';

const route = getRouteApi('/talk/$conv');

export function ConversationPage() {
  const { conv } = route.useParams();
  const conversation = useQuery(conversationQuery(conv));
  usePageTitle(conversation.data?.title ?? 'Conversation', conversation.data?.permissions.length);
  const navigate = useNavigate();
  useDeleteUnused(
    conv,
    conversation.error,
    (again) => void navigate({ to: '/talk/$conv', params: { conv: again }, replace: true }),
  );
  if (useIsConversationDeleted(conv)) return <Navigate to="/talk" replace />;
  if (MissingPage.fits(conversation.error)) {
    return (
      <MissingPage title="There is no such conversation" name={conv} to="/talk" words="Show the conversations">
        It was deleted, or the address is mistyped.
      </MissingPage>
    );
  }
  return (
    <Loaded query={conversation} what="The conversation could not be read." rows={8}>
      {(data) => <ConversationView key={data.conv} conversation={data} />}
    </Loaded>
  );
}

function useVoices({ member, agent_type }: Conversation): Speakers {
  const known = useQuery({ ...teamQuery(), select: (team) => team.members.find((one) => one.id === member) }).data;
  const project = useQuery({ ...healthQuery(), select: (health) => health.project }).data ?? 'meshd';
  const name = toDisplayText(known?.name ?? member ?? `${agent_type} agent`);
  const isExposed = known !== undefined && isOpen(known);
  return useMemo(
    () => ({ member: { id: member ?? agent_type, name, isExposed }, project }),
    [member, agent_type, name, isExposed, project],
  );
}

function ConversationView({ conversation }: { conversation: Conversation }) {
  const { conv } = conversation;
  // While it connects a message can be sent already: pressing Enter must not do nothing.
  const { state: line } = useLineStatus();
  const { linked, visits, goTo } = useLinkedMessage();
  const store = useTranscriptStore(conv, line === 'live', linked);
  const voices = useVoices(conversation);
  const say = usePostMessage(conv);
  const stopping = useStop(conv);
  const isLive = useLiveTurn(store) !== undefined;
  const [isMuted, mute] = useMuting();
  const about = useAbout();
  const { composer, queue, speak, sayAgain, quote, act } = useSpeech(conversation, store, say);
  // Otherwise the reason why no message can be sent is shown above.
  const canSend = !useConversationDeletions().has(conv) && !conversation.member_gone;
  return (
    <div className={styles.page} data-fills="window">
      {/* First: below the columns its hidden line would make the page one pixel higher than the window. */}
      {!isMuted && <Announcements store={store} voices={voices} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          <ConversationHead
            {...{ conversation, voices }}
            isAboutShown={about.shown !== undefined}
            onAbout={about.turn}
          />
          <ErrorBoundary what="The transcript could not be drawn.">
            <TranscriptView
              key={visits}
              {...{ store, conversation, voices, linked }}
              takesFocus={visits > 0}
              onRetry={sayAgain}
              onQuote={canSend ? quote : undefined}
              isRetrying={say.isPending}
              queueActs={queue}
              empty={<EmptyTranscript name={voices.member.name} />}
            />
          </ErrorBoundary>
          <BudgetNotices conv={conv} member={conversation.member} />
          {canSend && (
            <Composer
              ref={composer}
              conv={conv}
              name={voices.member.name}
              isWorking={isLive || conversation.running !== null}
              isAsked={conversation.permissions.length > 0}
              isOnline={line !== 'offline'}
              getLastSent={() => findLastUserMessage(store.read().messages)?.text}
              onSay={speak}
              onAct={act}
              {...stopping}
              error={say.error}
            />
          )}
        </div>
        <About {...{ conversation, store, about, isMuted }} onGoTo={goTo} onMuted={mute} />
      </div>
    </div>
  );
}

interface AboutProps {
  conversation: Conversation;
  store: TranscriptStore;
  about: ReturnType<typeof useAbout>;
  onGoTo: (message: string) => void;
  isMuted: boolean;
  onMuted: (isMuted: boolean) => void;
}

/** The details of the conversation: beside it, or over it in a narrow window. */
function About({ conversation, store, about, onGoTo, isMuted, onMuted }: AboutProps) {
  return (
    <aside className={styles.side} aria-label="About this conversation" data-shown={about.shown}>
      <Button className={styles.closeAbout} look="quiet" onClick={about.close}>
        <Icon name="close" />
        Close
      </Button>
      <ErrorBoundary what="The details could not be drawn.">
        <ConversationSide {...{ conversation, store, onGoTo, isMuted, onMuted }} />
      </ErrorBoundary>
    </aside>
  );
}

/**
 * Returns the message that the address names; a function that goes to another one; and how often that was done, as the
 * transcript is mounted anew to open there.
 */
function useLinkedMessage() {
  const { message: linked } = route.useSearch();
  const navigate = useNavigate({ from: '/talk/$conv' });
  const [visits, setVisits] = useState(0);
  const [goal, setGoal] = useState<string>();
  if (goal !== undefined && goal === linked) {
    setGoal(undefined);
    setVisits(visits + 1);
  }
  const goTo = (message: string) => {
    setGoal(message);
    // In a narrow window the details would cover the message.
    void navigate({ search: (was) => ({ ...was, message, about: undefined }), replace: true, resetScroll: false });
  };
  return { linked, visits, goTo };
}

/** Whether the details of the conversation cover it in a narrow window, and how to change that. Esc closes them. */
function useAbout() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/talk/$conv' });
  const close = useCallback(
    () => void navigate({ search: (was) => ({ ...was, about: undefined }), replace: true, resetScroll: false }),
    [navigate],
  );
  useEscape(search.about !== undefined, close);
  const turn = () =>
    void navigate({
      search: (was) => ({ ...was, about: was.about ? undefined : 'shown' }),
      replace: true,
      resetScroll: false,
    });
  return { shown: search.about, close, turn };
}

/** Returns the composer's properties for stopping the running turn. A failure is shown as a toast. */
function useStop(conv: string): Pick<ComposerProps, 'onStop' | 'isStopping'> {
  const cancel = useCancelTurn(conv);
  const toast = useToast();
  const onStop = () =>
    cancel.mutate(
      {},
      { onError: (error) => toast({ tone: 'failed', text: `It could not be stopped. ${error.message}` }) },
    );
  return { onStop, isStopping: cancel.isPending };
}

/** Returns functions that send, send again, quote, run a command and change the queue; and the composer's ref. */
function useSpeech(conversation: Conversation, store: TranscriptStore, say: ReturnType<typeof usePostMessage>) {
  const { conv } = conversation;
  const composer = useRef<{ focus: () => void }>(null);
  const toast = useToast();
  const putBack = usePutBack(conv);
  const queue = useQueue(conv);
  const { mutateAsync } = say;
  const speak = useCallback(
    (text: string, docs: ContextDoc[]) => mutateAsync({ text, ...(docs.length > 0 ? { context_docs: docs } : {}) }),
    [mutateAsync],
  );
  const retry = useCallback(
    async (message: Message) => {
      // Only the names of documents are stored, so they have to be attached again.
      if (message.context_docs.length > 0) {
        putBack(message.text);
        composer.current?.focus();
        toast({ text: `Attach ${message.context_docs.join(', ')} again: documents are not saved.` });
      } else await mutateAsync({ text: message.text });
    },
    [mutateAsync, putBack, toast],
  );
  // The composer shows a failure.
  const sayAgain = useCallback((message: Message) => void retry(message).catch(() => undefined), [retry]);
  const quote = useCallback(
    ({ text }: Message) => {
      putBack(formatQuote(text));
      composer.current?.focus();
    },
    [putBack],
  );
  const run = useSlashActions(conversation, store, { retry, takeBack: queue.takeBack });
  const act: typeof run = (name, words) => {
    say.reset();
    return run(name, words);
  };
  return { composer, queue, speak, sayAgain, quote, act };
}
