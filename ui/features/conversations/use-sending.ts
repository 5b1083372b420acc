import { useState } from 'react';
import type { ContextDoc } from '../../../daemon/contract/asks.js';
import type { AttachedDocs } from './composer/context-docs.js';
import { readTyped, type SlashName } from './composer/slash.js';
import { SlashCommandError } from './composer/slash-problem.js';
import type { SlashAction } from './composer/use-slash-actions.js';
import { useClearSentDraft, useGiveBack } from './list/put-back.js';

interface SendingOptions {
  conv: string;
  draft: { set: (text: string) => void; clear: () => void };
  /** Nothing is sent while it is false. */
  canSend: boolean;
  attached: AttachedDocs;
  /** Sends a message. Its text and documents stay in the composer when this rejects. */
  onSay: (text: string, docs: ContextDoc[]) => Promise<unknown>;
  /** Runs a command. */
  onAct: (name: SlashAction, words: string) => Promise<unknown>;
  /** Opens the list of commands. */
  onHelp: () => void;
}

/**
 * Sends what was typed: a message, or a command, which is run. `problem` says what is wrong with a command, `refusal`
 * is the daemon's error.
 */
export function useSending({ conv, draft, canSend, attached, onSay, onAct, onHelp }: SendingOptions) {
  const giveBack = useGiveBack(conv);
  const clearSent = useClearSentDraft(conv);
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [refusal, setRefusal] = useState<unknown>();

  const act = async (name: SlashName, words: string, text: string) => {
    if (name === '/help') {
      draft.set('/');
      onHelp();
      return;
    }
    setIsSending(true);
    // Cleared first, because a command may put text into the composer.
    draft.clear();
    try {
      await onAct(name, words);
    } catch (error) {
      if (error instanceof SlashCommandError) setProblem(error.message);
      else setRefusal(error);
      giveBack(text);
    } finally {
      setIsSending(false);
    }
  };
  const send = async (sent: string) => {
    if (!canSend || isSending) return;
    setProblem(undefined);
    setRefusal(undefined);
    const typed = readTyped(sent);
    if (typed.is === 'unknown') return setProblem(typed.why);
    if (typed.is === 'command') return act(typed.name, typed.words, sent);
    setIsSending(true);
    try {
      await onSay(typed.text, attached.docs);
      clearSent(sent);
      attached.removeSent(attached.docs);
      // With nothing typed any more, the keys belong to a question that waits.
      document.querySelector<HTMLElement>('[data-asked] [data-deny]')?.focus({ preventScroll: true });
    } catch {
      // The error is shown beside the composer, which still has the text.
    } finally {
      setIsSending(false);
    }
  };
  return { send, isSending, problem, refusal, clearProblem: () => setProblem(undefined) };
}
