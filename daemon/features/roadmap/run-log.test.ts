import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../storage/database/transaction.js';
import { RunLog } from './run-log.js';

const TRANSACTION = {} as Transaction;

/** The log of a team with or without an orchestrator, which may have a conversation already. */
function aLog({ hasMember = true, conv = undefined as string | undefined } = {}) {
  const calls: unknown[] = [];
  const state = { run: undefined as { turn: string; conv: string } | undefined };
  const log = new RunLog({
    store: {
      run: () => ({ running: true, parallel: 1 }),
      findRunTurn: () => state.run,
      putRunTurn: (_transaction: unknown, turn: unknown) => void calls.push(['putRunTurn', turn]),
    },
    team: { serving: (id: string) => (hasMember && id === 'roadmap-orchestrator' ? { id } : undefined) },
    conversations: {
      findForAsk: (member: string, of: unknown) => (of === undefined && conv ? { conv, member } : undefined),
      putNew: (_transaction: unknown, given: object) => {
        calls.push(['putNew', given]);
        return { conv: 'conv-new' };
      },
    },
    messages: {
      putNotice: (_transaction: unknown, ...given: unknown[]) => {
        calls.push(['putNotice', ...given]);
        return 'turn-1';
      },
    },
  } as never);
  return { log, calls, state };
}

describe('The log of a run', () => {
  it('begins as a turn of a conversation of the orchestrator', () => {
    const { log, calls } = aLog();
    log.begin(TRANSACTION, 'Run of plan.md.');
    expect(calls).toEqual([
      ['putNew', { member: 'roadmap-orchestrator', title: 'Roadmap' }],
      ['putNotice', 'conv-new', 'Run of plan.md.'],
      ['putRunTurn', 'turn-1'],
    ]);
  });

  it('goes on in the conversation that there is', () => {
    const { log, calls } = aLog({ conv: 'conv-1' });
    log.begin(TRANSACTION, 'Run of plan.md.');
    expect(calls[0]).toEqual(['putNotice', 'conv-1', 'Run of plan.md.']);
  });

  it('is not there without an orchestrator in the team', () => {
    const { log, calls } = aLog({ hasMember: false });
    log.begin(TRANSACTION, 'Run of plan.md.');
    log.add(TRANSACTION, 'A step.');
    expect([calls, log.asking]).toEqual([[['putRunTurn', null]], undefined]);
  });

  it('takes further steps in its turn, which asks for the tasks', () => {
    const { log, calls, state } = aLog();
    state.run = { turn: 'turn-7', conv: 'conv-7' };
    log.add(TRANSACTION, 'A step.');
    expect(calls).toEqual([['putNotice', 'conv-7', 'A step.', 'turn-7']]);
    expect(log.asking).toEqual({ parent: state.run, asked_by: 'roadmap-orchestrator', waits: false });
  });
});
