import { expect } from 'vitest';
import type { Reply } from '../caller.js';
import type { ScriptedAgent } from '../processes/scripted-agent.js';
import type { TestApp } from './test-app.js';

/** Lets a call that `agent` holds run into the limit of 120 s. Returns the id of its request. */
export async function passDeadline(app: TestApp, agent: ScriptedAgent, calling: Promise<Reply>): Promise<string> {
  await agent.untilHeld(1);
  app.clock.advance(120_000);
  const reply = await calling;
  expect([reply.status, reply.body]).toEqual([
    504,
    expect.objectContaining({ error: 'deadline', request_id: expect.any(String) }),
  ]);
  return (reply.body as { request_id: string }).request_id;
}
