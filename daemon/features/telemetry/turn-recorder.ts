import { getCallerName } from '../../lib/text/caller-name.js';
import type { Ask } from '../asks/ask-store.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRow } from '../conversations/turns-store.js';
import { ToolTimes, toContent } from './tool-times.js';
import type { TurnRecord } from './turn-record.js';

/** More turns than may ask one another in a row. */
const CHAIN_MAX = 8;

interface TurnRecorderParts {
  findTurn: (turn: string) => TurnRow | undefined;
  /** Returns the ask that a turn answers; undefined for a message of the operator. */
  findAsk: (turn: string) => Pick<Ask, 'request_id' | 'caller'> | undefined;
  /** Returns the turn that waits for the answer of `turn`, if any. */
  findParent: (turn: string) => string | null | undefined;
  /** Returns who runs in a turn; undefined when the member is gone. */
  findAgent: (turn: string) => { id: string; name: string } | undefined;
}

type TurnEnded = Extract<TurnChange, { kind: 'ended' }>;

/** Makes the record of a turn that ended from its rows. */
export class TurnRecorder {
  readonly tools = new ToolTimes();

  constructor(private readonly parts: TurnRecorderParts) {}

  record({ turn: { turn: id }, ending, answer, runnable }: TurnEnded, isWithContent: boolean): TurnRecord | undefined {
    const { findTurn, findAsk, findParent, findAgent } = this.parts;
    const tools = this.tools.take(id);
    const turn = findTurn(id);
    if (!turn) return undefined;
    const ask = findAsk(id);
    const root = this.findRoot(id);
    const asked = root === id ? ask : findAsk(root);
    const { outcome, code, usage, finished_ms, reason } = ending;
    return {
      turn: id,
      conv: turn.conv,
      agent: runnable?.member ?? findAgent(id) ?? { id: '', name: '' },
      client: turn.client,
      model: turn.model,
      createdMs: turn.created_ms,
      startedMs: turn.started_ms,
      finishedMs: finished_ms,
      ...{ outcome, code, usage, root },
      parent: findParent(id) ?? undefined,
      traceparent: asked?.caller.traceparent,
      ask: ask && { id: ask.request_id, caller: getCallerName(ask.caller) },
      tools,
      ...(isWithContent
        ? {
            content: {
              question: toContent(turn.text),
              answer: toContent(answer?.text ?? ''),
              reason: toContent(reason ?? ''),
            },
          }
        : {}),
    };
  }

  private findRoot(turn: string): string {
    let root = turn;
    for (let links = 0; links < CHAIN_MAX; links += 1) {
      const above = this.parts.findParent(root);
      if (!above) return root;
      root = above;
    }
    return root;
  }
}
