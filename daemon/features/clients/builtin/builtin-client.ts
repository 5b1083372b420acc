import type { Citation, ContextDoc } from '../../../contract/asks.js';
import type { KnowledgeStatus } from '../../../contract/system.js';
import type { Client, Turn, TurnEvent } from '../client.js';

/** What `builtin` needs of the project's knowledge. */
export interface ProjectAnswers {
  status(): KnowledgeStatus;
  onStatus(listener: (status: KnowledgeStatus) => void): () => void;
  answer(question: {
    text: string;
    context_docs: readonly ContextDoc[];
    refs: readonly string[];
    profile: Turn['profile'];
    signal: AbortSignal;
  }): Promise<{
    text: string;
    citations: Citation[];
  }>;
  check(citations: readonly Citation[], profile: Turn['profile']): Promise<Citation[]>;
}

/**
 * Runs members without a model, a key or the network: answers come from the project's own files, every statement with its citation.
 * While the index is being built it reports how far that is, then answers.
 */
export class BuiltinClient implements Client {
  readonly name = 'builtin';

  constructor(private readonly knowledge: ProjectAnswers) {}

  async probe(): Promise<{ ready: boolean; reason: string | null }> {
    const { state, message } = this.knowledge.status();
    return state === 'failed'
      ? { ready: false, reason: message ?? 'The index of this project cannot be built.' }
      : { ready: true, reason: null };
  }

  models(): readonly string[] {
    return ['builtin'];
  }

  efforts(): readonly string[] {
    return [];
  }

  async *run(turn: Turn, signal: AbortSignal): AsyncGenerator<TurnEvent, void, void> {
    signal.throwIfAborted();
    const { text, context_docs, profile } = turn;
    const asked = this.knowledge.answer({ text, context_docs, refs: turn.member.refs, profile, signal });
    yield* this.progressUntil(asked);
    const answer = await asked;
    for (const piece of pieces(answer.text)) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    const citations = await this.knowledge.check(answer.citations, profile);
    signal.throwIfAborted();
    yield { type: 'end', citations };
  }

  /** How far the index is, for as long as `asked` waits for it. */
  private async *progressUntil(asked: Promise<unknown>): AsyncGenerator<TurnEvent, void, void> {
    let wake: () => void = () => undefined;
    let told = '';
    let hasEnded = false;
    const stop = this.knowledge.onStatus(() => wake());
    const ended = () => {
      hasEnded = true;
      wake();
    };
    asked.then(ended, ended);
    try {
      while (!hasEnded) {
        const { state, files_done, files_total } = this.knowledge.status();
        const now = `${files_done}/${files_total}`;
        if (state === 'indexing' && now !== told) {
          told = now;
          yield { type: 'progress', stage: 'indexing', done: files_done, total: files_total };
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (hasEnded) resolve();
        });
      }
    } finally {
      stop();
    }
  }
}

/** A text in a few pieces that end where paragraphs do; joined they are the text. */
function pieces(text: string): string[] {
  return text.split(/(?<=\n\n)(?=\S)/);
}
