import { useNavigate } from '@tanstack/react-router';
import type { Conversation, Decision, Message } from '../../../../daemon/contract/conversations.js';
import { useToast } from '../../../components/toasts.js';
import { CHANGES, type ChangeName, sayChange } from '../conversation-changes.js';
import { useCancelTurn, useDecide, usePatchConversation } from '../conversation-mutations.js';
import { exportPath, FORMATS, isFormat } from '../exports.js';
import { listQueued, unanswered } from '../transcript/transcript-lines.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import type { QueueActions } from '../use-queue.js';
import type { SlashName } from './slash.js';
import { SlashCommandError } from './slash-problem.js';

/** A command on the conversation. `/help` is handled by the list. */
export type SlashAction = Exclude<SlashName, '/help'>;

interface SlashHandlers {
  retry: (message: Message) => Promise<unknown>;
  takeBack: QueueActions['takeBack'];
}

/**
 * Returns a function that runs a command. It rejects with the daemon's error, or with a `SlashCommandError` when there
 * is nothing to do.
 */
export function useSlashActions(
  conversation: Conversation,
  store: TranscriptStore,
  { retry, takeBack }: SlashHandlers,
) {
  const { conv, member } = conversation;
  const patch = usePatchConversation(conv);
  const cancel = useCancelTurn(conv);
  const decide = useDecide(conv);
  const navigate = useNavigate();
  const say = useToast();

  const change = async (name: ChangeName) => {
    await patch.mutateAsync(CHANGES[name].body);
    sayChange(name, patch.mutateAsync, say);
  };
  const answer = async (decision: Decision) => {
    const [question] = conversation.permissions;
    if (!question) throw new SlashCommandError('No permission question is open.');
    await decide.mutateAsync({ pid: question.pid, decision });
  };
  const acts: Record<SlashAction, (words: string) => Promise<unknown>> = {
    '/stop': async () => {
      if (conversation.running === null && store.readLive() === undefined)
        throw new SlashCommandError('Nothing is running.');
      await cancel.mutateAsync({});
    },
    '/drop': async () => {
      const { messages, turns } = store.read();
      const queue = listQueued(messages, turns);
      if (queue.length === 0) throw new SlashCommandError('Nothing is queued.');
      await takeBack(queue);
    },
    '/retry': async () => {
      const { messages, turns } = store.read();
      const message = unanswered(messages, turns);
      if (!message) throw new SlashCommandError('Nothing to retry: the last turn is running or was answered.');
      await retry(message);
    },
    '/rename': (title) => patch.mutateAsync({ title }),
    '/pin': () => change('pin'),
    '/unpin': () => change('unpin'),
    '/archive': () => change('archive'),
    '/unarchive': () => change('unarchive'),
    '/export': async (words) => {
      const format = words === '' ? 'md' : words;
      if (!isFormat(format)) throw new SlashCommandError(`${words} is not one of ${Object.keys(FORMATS).join(', ')}.`);
      const link = document.createElement('a');
      link.href = exportPath(conv, format);
      link.download = '';
      link.click();
    },
    '/new': () => navigate({ to: '/talk', search: { make: 'new', member: member ?? undefined } }),
    '/allow': () => answer('allow_once'),
    '/always': () => answer('allow_always'),
    '/deny': () => answer('deny'),
  };
  return (name: SlashAction, words: string) => acts[name](words);
}
