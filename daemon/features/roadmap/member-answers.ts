import type { Transaction } from '../../storage/database/transaction.js';
import type { Asking } from '../conversations/asked-turns-store.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';

interface MemberAnswersParts {
  team: Pick<Team, 'serving'>;
  conversations: Pick<Conversations, 'create'>;
  messages: Pick<Messages, 'say'>;
  runs: Pick<TurnRuns, 'follow'>;
  canWork(member: MemberVersion): boolean;
}

type Ended = Extract<TurnChange, { kind: 'ended' }>;

/** Asks members in conversations of their own and waits for their answers. */
export class MemberAnswers {
  private readonly waiting = new Map<string, (change: Ended) => void>();

  constructor(private readonly parts: MemberAnswersParts) {
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /**
   * Resolves with the text of the answer. Rejects, with the reason as its message, when the member is unknown or has no
   * working client, and when its turn ends otherwise.
   */
  async ask(member: string, title: string, text: string, asking: Asking): Promise<string> {
    const { team, conversations, messages, canWork } = this.parts;
    const version = team.serving(member);
    if (!version) throw new Error(`There is no member \`${member}\`.`);
    if (!canWork(version)) throw new Error(`No model is connected for ${member}, who is to review it.`);
    const { conv } = await conversations.create(
      { member, title: title.slice(0, 200) },
      { placeOf: asking.parent.conv },
    );
    const { turn } = await messages.say(conv, { text }, { asking });
    const { ending, answer } = await new Promise<Ended>((resolve) => this.waiting.set(turn, resolve));
    if (ending.outcome !== 'answered' || !answer)
      throw new Error(`${member} did not answer: ${ending.outcome}${ending.reason ? `, ${ending.reason}` : ''}.`);
    return answer.text;
  }

  private followTurn(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended') return;
    const settle = this.waiting.get(change.turn.turn);
    if (!settle) return;
    transaction.afterCommit(() => {
      this.waiting.delete(change.turn.turn);
      settle(change);
    });
  }
}
