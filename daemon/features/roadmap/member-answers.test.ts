import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../storage/database/transaction.js';
import type { TurnChange, TurnFollower } from '../conversations/turn-change.js';
import type { MemberVersion } from '../team/member-file.js';
import { MemberAnswers } from './member-answers.js';

const ASKING = { parent: { turn: 'turn-0', conv: 'conv-0' }, asked_by: 'roadmap-orchestrator', waits: true };

function answering({ canWork = true } = {}) {
  const calls: unknown[] = [];
  const followers: TurnFollower[] = [];
  const noting =
    <Result>(result: Result) =>
    async (...given: unknown[]) => {
      calls.push(given);
      return result as never;
    };
  const answers = new MemberAnswers({
    team: { serving: (id) => (id === 'keeper' ? ({ id } as MemberVersion) : undefined) },
    conversations: { create: noting({ conv: 'conv-1' }) },
    messages: { say: noting({ turn: 'turn-1' }) },
    runs: { follow: (follower) => void followers.push(follower) },
    canWork: () => canWork,
  });
  /** A change of a turn, which counts once its transaction is committed. */
  const change = (given: object, turn = 'turn-1') => {
    const effects: (() => void)[] = [];
    const transaction = { afterCommit: (effect: () => void) => void effects.push(effect) } as unknown as Transaction;
    for (const follow of followers)
      follow({ kind: 'ended', turn: { turn }, ...given } as unknown as TurnChange, transaction);
    return () => {
      for (const effect of effects) effect();
    };
  };
  const ask = (member = 'keeper', title = 'Review of a') => answers.ask(member, title, 'Look at it.', ASKING);
  return { ask, change, calls };
}

const ANSWERED = { ending: { outcome: 'answered' }, answer: { text: 'PASSED' } };
const untilAsked = () => new Promise((resolve) => setImmediate(resolve));

describe('A member that is asked for the roadmap', () => {
  it('answers in a conversation of its own at the place of the one that asks', async () => {
    const { ask, change, calls } = answering();
    const asked = ask();
    await untilAsked();
    change(ANSWERED)();
    expect(await asked).toBe('PASSED');
    expect(calls).toEqual([
      [{ member: 'keeper', title: 'Review of a' }, { placeOf: 'conv-0' }],
      ['conv-1', { text: 'Look at it.' }, { asking: ASKING }],
    ]);
  });

  it('has answered only when its own turn has ended and that is committed', async () => {
    const { ask, change } = answering();
    const asked = ask();
    await untilAsked();
    change({ kind: 'started' })();
    change({ ...ANSWERED, answer: { text: 'of another' } }, 'turn-2')();
    change({ ...ANSWERED, answer: { text: 'rolled back' } });
    change(ANSWERED)();
    // Nobody waits any more.
    change({ ...ANSWERED, answer: { text: 'again' } })();
    expect(await asked).toBe('PASSED');
  });

  it('is asked in a conversation with at most 200 characters of title', async () => {
    const { ask, change, calls } = answering();
    const asked = ask('keeper', 'x'.repeat(201));
    await untilAsked();
    change(ANSWERED)();
    await asked;
    expect(calls[0]).toEqual([{ member: 'keeper', title: 'x'.repeat(200) }, { placeOf: 'conv-0' }]);
  });

  it('must be in the team and have a model that works', async () => {
    await expect(answering().ask('nobody')).rejects.toThrow('There is no member `nobody`.');
    const idle = answering({ canWork: false });
    await expect(idle.ask()).rejects.toThrow('No model is connected for keeper, who is to review it.');
    expect(idle.calls).toEqual([]);
  });

  it.each([
    [{ ending: { outcome: 'failed', reason: 'no tools' }, answer: null }, 'keeper did not answer: failed, no tools.'],
    [{ ending: { outcome: 'cancelled' }, answer: null }, 'keeper did not answer: cancelled.'],
    [{ ending: { outcome: 'failed' }, answer: { text: 'Half of it' } }, 'keeper did not answer: failed.'],
    [{ ending: { outcome: 'answered' }, answer: null }, 'keeper did not answer: answered.'],
  ])('that ends with %j has not answered', async (given, message) => {
    const { ask, change } = answering();
    const refused = expect(ask()).rejects.toThrow(message);
    await untilAsked();
    change(given)();
    await refused;
  });
});
