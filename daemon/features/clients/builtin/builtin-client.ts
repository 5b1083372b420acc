import type { AnswerTrace } from '../../../contract/answer-trace.js';
import type { Citation, ContextDoc, SearchOutcome } from '../../../contract/asks.js';
import type { KnowledgeStatus } from '../../../contract/system.js';
import type { Client, Turn, TurnEvent } from '../client.js';

/** The part of the project's knowledge that the `builtin` client uses. */
interface ProjectAnswers {
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
    confidence: SearchOutcome['confidence'];
    searched: SearchOutcome['searched'];
    total?: number;
    trace?: AnswerTrace;
  }>;
  check(citations: readonly Citation[], profile: Turn['profile']): Promise<Citation[]>;
}

/**
 * Runs members without a model, a key or the network. Answers consist of text from the project's own files, each
 * statement with its citation. While the index is being built, it reports the progress, then answers.
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
    const { confidence, searched, total = citations.length, trace } = answer;
    yield { type: 'end', citations, search: { confidence, searched, total }, ...(trace && { trace }) };
  }

  /** Yields the progress of the index until `asked` settles. */
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
        });
      }
    } finally {
      stop();
    }
  }
}

/** Splits a text at its paragraph ends. The joined pieces equal the text. */
function pieces(text: string): string[] {
  return text.split(/(?<=\n\n)(?=\S)/);
}
