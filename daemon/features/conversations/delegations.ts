import { DELEGATION_DEPTH_MAX, DELEGATIONS_MAX, type Outcome } from '../../contract/conversations.js';
import { MeshError } from '../../lib/errors.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { AskedTurnsStore } from './asked-turns-store.js';
import type { Conversations } from './conversations.js';
import type { ConversationRow } from './conversations-store.js';
import type { Messages } from './messages.js';
import { TurnCancelledError } from './turn-cancelled.js';
import type { TurnChange } from './turn-change.js';
import type { TurnRuns } from './turn-runs.js';
import type { TurnRow, TurnsStore } from './turns-store.js';

interface DelegationsParts {
  transactions: Pick<Transactions, 'run'>;
  asked: AskedTurnsStore;
  turns: Pick<TurnsStore, 'find' | 'listOpen'>;
  conversations: Pick<Conversations, 'row' | 'putNew' | 'findForAsk'>;
  messages: Pick<Messages, 'requireRoom' | 'putMessage'>;
  runs: Pick<TurnRuns, 'follow' | 'holdLimit' | 'endings'>;
}

/** The end of a turn that was asked for. `text` is empty unless it was answered. */
interface Delegated {
  conv: string;
  turn: string;
  outcome: Outcome;
  code: string | null;
  reason: string | null;
  text: string;
}

const askerEnded = () => new TurnCancelledError('cancelled', 'cancelled', 'The turn that asked for it has ended.');

/**
 * Lets the agent of a running turn ask another member. The member answers in an ordinary turn of a conversation of its
 * own, with its own permissions. A chain of members that ask one another is at most `DELEGATION_DEPTH_MAX` long and
 * names none twice, and no turn outlives the one that asked for it.
 */
export class Delegations {
  private readonly waiting = new Map<string, (ended: Omit<Delegated, 'conv' | 'turn'>) => void>();

  constructor(private readonly parts: DelegationsParts) {
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /**
   * Asks `member` for the running turn `asker`, and resolves when the asked turn has ended. When `signal` fires, that
   * turn is cancelled. Meanwhile the asker's own time limit is paused. Throws `not_waiting` when the asker has ended,
   * `not_found` for an unknown member, `limit_reached` beyond the depth or `DELEGATIONS_MAX`, `bad_request` for a member
   * of the chain, `singleton_busy` for a singleton that waits for the asker, and `too_many_requests`.
   */
  async ask(asker: string, member: string, text: string, signal: AbortSignal): Promise<Delegated> {
    signal.throwIfAborted();
    const { transactions, runs } = this.parts;
    let settle: (ended: Omit<Delegated, 'conv' | 'turn'>) => void = () => undefined;
    const ended = new Promise<Omit<Delegated, 'conv' | 'turn'>>((resolve) => {
      settle = resolve;
    });
    const { conv, turn } = await transactions.run((transaction) => {
      const begun = this.begin(transaction, asker, member, text);
      transaction.afterCommit(() => this.waiting.set(begun.turn, settle));
      return begun;
    });
    const release = runs.holdLimit(asker);
    const callOff = () => void this.cancel(turn, 'The call that asked for it was cancelled.');
    signal.addEventListener('abort', callOff, { once: true });
    if (signal.aborted) callOff();
    try {
      return { conv, turn, ...(await ended) };
    } finally {
      signal.removeEventListener('abort', callOff);
      this.waiting.delete(turn);
      release();
    }
  }

  /** Ends turns whose asker has ended, as a killed daemon leaves them. Must be called before any turn starts. */
  async endAbandoned(): Promise<void> {
    const { turns, asked, runs } = this.parts;
    for (const turn of turns.listOpen()) {
      const asker = asked.findWaiting(turn.turn);
      if (asker === undefined) continue;
      if (asker === null || turns.find(asker)?.state === 'ended') await runs.endings.cancelTurn(turn, askerEnded());
    }
  }

  private begin(transaction: Transaction, asker: string, member: string, text: string): { conv: string; turn: string } {
    const { asked, turns, conversations, messages } = this.parts;
    const asking = turns.find(asker);
    if (asking?.state !== 'running') throw new MeshError('not_waiting', 'The turn that asks has ended.');
    const chain = this.chainOf(asking);
    const from = conversations.row(asking.conv);
    const home = conversations.findForAsk(member, undefined);
    const row = home ?? conversations.putNew(transaction, { member }, { placeOf: from.conv });
    this.requireWithin(chain, member);
    if (asked.listAwaited(asker).length >= DELEGATIONS_MAX)
      throw new MeshError(
        'limit_reached',
        `This turn waits for ${DELEGATIONS_MAX} members already: take their answers.`,
      );
    if (home) this.requireNoDeadlock(home, chain);
    messages.requireRoom(row);
    const turn = messages.putMessage(transaction, row, { text }, 'operator', {
      parent: { turn: asker, conv: asking.conv },
      asked_by: from.member ?? from.agent_type,
      waits: true,
    });
    return { conv: row.conv, turn };
  }

  /** The turns that wait for one another, from the one that asks up to the operator's own. */
  private chainOf(asker: TurnRow): TurnRow[] {
    const { asked, turns } = this.parts;
    const chain = [asker];
    for (let next = asked.findWaiting(asker.turn); next; next = asked.findWaiting(next)) {
      const turn = turns.find(next);
      if (!turn) break;
      chain.push(turn);
    }
    return chain;
  }

  private requireWithin(chain: readonly TurnRow[], member: string): void {
    const { conversations } = this.parts;
    const members = chain.map(({ conv }) => conversations.row(conv).member ?? 'you').reverse();
    const path = [...members, member].join(' → ');
    if (members.includes(member))
      throw new MeshError('bad_request', `\`${member}\` waits for this answer itself (${path}): it cannot be asked.`, {
        details: { path: 'member' },
      });
    if (chain.length > DELEGATION_DEPTH_MAX)
      throw new MeshError(
        'limit_reached',
        `Members may ask one another ${DELEGATION_DEPTH_MAX} deep (${path}): answer without asking further.`,
      );
  }

  /** A singleton answers one turn at a time: asking it must not wait for a turn that waits for this one. */
  private requireNoDeadlock(home: ConversationRow, chain: readonly TurnRow[]): void {
    const { asked, turns } = this.parts;
    const own = new Set(chain.map(({ turn }) => turn));
    const open = turns.listOpen(home.conv);
    const reached = new Set(open.map(({ turn }) => turn));
    for (let next = open.pop(); next; next = open.pop()) {
      if (own.has(next.turn)) {
        throw new MeshError(
          'singleton_busy',
          `\`${home.member}\` waits for this turn to end: it cannot answer before.`,
          {
            details: { conv: home.conv },
          },
        );
      }
      const { conv, seq, state } = next;
      const ahead = state === 'queued' ? turns.listOpen(conv).filter((other) => other.seq < seq) : [];
      const awaited = asked.listAwaited(next.turn).map((turn) => turns.find(turn));
      for (const turn of [...ahead, ...awaited])
        if (turn && !reached.has(turn.turn)) {
          reached.add(turn.turn);
          open.push(turn);
        }
    }
  }

  private followTurn(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended') return;
    const { turn, ending, answer } = change;
    const abandoned = this.parts.asked.listAwaited(turn.turn);
    const { outcome, code, reason } = ending;
    transaction.afterCommit(() => {
      this.waiting.get(turn.turn)?.({ outcome, code, reason, text: answer?.text ?? '' });
      for (const one of abandoned) void this.cancel(one, askerEnded().message);
    });
  }

  /** A cancellation that cannot be recorded is made up for at the next start. */
  private async cancel(turn: string, reason: string): Promise<void> {
    await this.parts.runs.endings.cancelTurnById(turn, 'cancelled', reason).catch(() => undefined);
  }
}
