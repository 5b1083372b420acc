import { expect, it } from 'vitest';
import { AgentSessions } from './agent-sessions.js';

it('keeps the session of each client and of turns for other programs apart, with what each has cost', () => {
  const own = new AgentSessions('{}', 'acp', 'operator');
  expect([own.session, own.cost]).toEqual([null, 0]);
  own.keep({ session: 'A', cost_usd: 0.5 });
  const outside = new AgentSessions(own.toStored(), 'acp', 'outside');
  expect([outside.session, outside.cost]).toEqual([null, 0]);
  outside.keep({ session: 'B' });
  const other = new AgentSessions(outside.toStored(), 'claude-code', 'operator');
  expect(other.session).toBeNull();
  const again = new AgentSessions(outside.toStored(), 'acp', 'operator');
  expect([again.session, again.cost]).toEqual(['A', 0.5]);
  expect(JSON.parse(outside.toStored())).toEqual({ acp: 'A', 'acp cost': '0.5', 'acp outside': 'B' });
});

it('knows the cost of the same session until it tells another, and none of another session', () => {
  const sessions = new AgentSessions('{}', 'acp', 'operator');
  sessions.keep({ session: 'A', cost_usd: 0.5 });
  sessions.keep({ session: 'A' });
  expect(sessions.cost).toBe(0.5);
  sessions.keep({ session: 'A', cost_usd: 0 });
  expect(JSON.parse(sessions.toStored())).toEqual({ acp: 'A', 'acp cost': '0' });
  sessions.keep({ session: 'A', cost_usd: 2 });
  sessions.keep({ session: 'B' });
  expect([sessions.session, sessions.cost]).toEqual(['B', 0]);
});
