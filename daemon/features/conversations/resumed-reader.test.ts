import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../contract/conversations.js';
import type { EventFrame, MeshEvent } from '../../contract/events.js';
import { begin, events, postMessage, read } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { SocketClient } from '../../testing/processes/socket-client.js';

const CUTS = 50;
const PIECES = ['one, ', 'two, ', 'three. 🙂\n'] as const;
const toText = (parts: number) => PIECES.join('').repeat(parts);

/** An agent that yields three pieces and a tool call before each hold, once per reconnect of its reader. */
const talkative = () =>
  new ScriptedAgent('acp', async function* (_turn, signal, agent) {
    for (let part = 0; part < CUTS; part += 1) {
      const call = { id: `c${part}`, name: 'Read', target: `src/${part}.ts` };
      yield { type: 'text', text: PIECES[0] };
      yield { type: 'tool', call: { ...call, state: 'running' } };
      yield { type: 'text', text: PIECES[1] };
      yield { type: 'tool', call: { ...call, state: 'done', ms: part } };
      yield { type: 'text', text: PIECES[2] };
      await agent.held(signal);
    }
    yield { type: 'end', citations: [] };
  });

const isEvent = (frame: EventFrame): frame is MeshEvent => frame.type !== 'hello' && frame.type !== 'heartbeat';

/** Reduces events to a reader's state: the text of the turn, its tool calls, the messages, and the outcome. */
function getTranscript(events: readonly MeshEvent[]) {
  const calls = new Map<string, ToolCall>();
  const pieces = events.flatMap((event) => (event.type === 'turn.delta' ? [event] : []));
  for (const event of events) if (event.type === 'turn.tool') calls.set(event.call.id, event.call);
  return {
    indexes: pieces.map(({ index }) => index),
    text: pieces.map(({ text }) => text).join(''),
    calls: [...calls.values()],
    messages: events.flatMap((event) => (event.type === 'message.added' ? [event.message] : [])),
    outcomes: events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : [])),
  };
}

describe('an event reader whose connection is cut during a turn', () => {
  it(`has after ${CUTS} cuts the same transcript as an uninterrupted reader and as the store`, async () => {
    const agent = talkative();
    const app = await testApp({ clients: [agent] });
    await app.untilIndexed();
    const { conv } = await begin(app);
    const steady = await events(app);
    const open = (query: string) => new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events${query}`);
    let reader = open('');
    const start = (await reader.next()).seq;
    let seq = start;
    const resumed: MeshEvent[] = [];
    const take = async () => {
      const frame = await reader.next();
      if (!isEvent(frame)) throw new Error(`A ${frame.type} came instead of what was missed after ${seq}.`);
      resumed.push(frame);
      seq = frame.seq;
      return frame;
    };

    const { turn } = await postMessage(app, conv, 'Go on.');
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await agent.untilHeld(cut);
      const live = { turn, text: toText(cut), next_index: cut * PIECES.length };
      expect((await read(app, conv)).live).toMatchObject(live);
      // Reads between none and all of the available frames. Unread frames are lost with the socket.
      for (let count = cut % 6; count > 0; count -= 1) await take();
      const isAlone = cut % 2 === 0;
      if (isAlone) {
        reader.socket.terminate();
        agent.finishAll();
        if (cut < CUTS) await agent.untilHeld(cut + 1);
        reader = open(`?since=${seq}`);
      } else {
        agent.finishAll();
        reader.socket.terminate();
        reader = open(`?since=${seq}`);
      }
    }
    const { seq: last } = await steady.until(({ type }) => type === 'turn.ended');
    while (seq < last) await take();

    const whole = steady.frames.filter(isEvent).filter((event) => event.seq > start && event.seq <= last);
    expect(resumed).toEqual(whole);
    const page = await read(app, conv);
    const transcript = getTranscript(resumed);
    expect(transcript).toEqual({
      indexes: Array.from({ length: CUTS * PIECES.length }, (_, index) => index),
      text: toText(CUTS),
      calls: page.messages[1]?.calls,
      messages: page.messages,
      outcomes: ['answered'],
    });
    expect(page.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Go on.'],
      ['assistant', toText(CUTS)],
    ]);
    expect(page).toMatchObject({ live: null, turns: [{ turn, outcome: 'answered' }] });
  });
});
