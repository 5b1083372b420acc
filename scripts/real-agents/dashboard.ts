import type { Decision, Message, ToolCall, Turn } from '../../daemon/contract/conversations.js';
import type { EventFrame } from '../../daemon/contract/events.js';
import type { DaemonProcess, EventFeed } from '../../daemon/testing/processes/daemon-process.js';

/** What the dashboard shows of one turn. */
export interface Shown {
  turn: Turn;
  answer: Message | undefined;
  deltas: string[];
  calls: ToolCall[];
  asked: number;
  usage: boolean;
  ms: number;
}

/** A daemon and its event socket, as an open dashboard uses them. */
export class Dashboard {
  constructor(
    readonly daemon: DaemonProcess,
    private readonly feed: EventFeed,
  ) {}

  /**
   * Posts a message and follows the turn to its end, answering its permission requests with `decision`. With
   * `cancelOnCall` the turn is cancelled as soon as a tool may run, and `ms` counts from then.
   */
  talk(conv: string, text: string, decision: Decision, { cancelOnCall = false } = {}): Promise<Shown> {
    return this.follow(conv, () => this.daemon.post(conv, text), decision, { cancelOnCall });
  }

  /** Follows the turn that `start` begins and returns, as `talk` does. */
  async follow(
    conv: string,
    start: () => Promise<string>,
    decision: Decision,
    { cancelOnCall = false } = {},
  ): Promise<Shown> {
    const { daemon, feed } = this;
    let startedMs = performance.now();
    const from = feed.frames.length;
    const turn = await start();
    let asked = 0;
    let isCancelled = false;
    for (let at = from; ; at += 1) {
      const frame = await this.frame(at);
      if (!('turn' in frame) || frame.turn !== turn) continue;
      if (frame.type === 'turn.ended') break;
      // The event is published again when the request has been decided.
      if (frame.type === 'turn.permission' && frame.permission.decision === null) {
        asked += 1;
        await daemon.call('POST', `/conversations/${conv}/permissions/${frame.permission.pid}`, { decision });
        continue;
      }
      // Some programs report a tool call before they ask for permission: then it does not run yet.
      const isToolFree = asked > 0 && (frame.type === 'turn.tool' || frame.type === 'turn.permission');
      if (isToolFree && cancelOnCall && !isCancelled) {
        isCancelled = true;
        startedMs = performance.now();
        await daemon.call('POST', `/conversations/${conv}/cancel`, {});
      }
    }
    const ms = Math.round(performance.now() - startedMs);
    const mine = feed.frames.slice(from).filter((frame) => 'turn' in frame && frame.turn === turn);
    const { turns, messages } = await daemon.transcript(conv);
    const record = turns.find((one) => one.turn === turn);
    if (!record) throw new Error(`The transcript of ${conv} has no turn ${turn}.`);
    return {
      turn: record,
      answer: messages.find((message) => message.turn === turn && message.role === 'assistant'),
      deltas: mine.flatMap((frame) => (frame.type === 'turn.delta' ? [frame.text] : [])),
      calls: mine.flatMap((frame) => (frame.type === 'turn.tool' ? [frame.call] : [])),
      asked,
      usage: mine.some((frame) => frame.type === 'turn.ended' && frame.usage !== undefined),
      ms,
    };
  }

  private async frame(at: number): Promise<EventFrame> {
    await this.feed.until(() => this.feed.frames.length > at);
    return this.feed.frames[at] as EventFrame;
  }
}
