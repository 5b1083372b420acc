import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import { type HubClientFrame, type HubMessage, type HubServerFrame, SOCKETS_MAX } from '../../contract/network/hub.js';
import { SlowReaders } from '../../http/slow-readers.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { getDirectThreadId } from './direct-thread.js';
import type { HubDirectory, HubRegistration } from './hub-directory.js';
import { createErrorFrame, parseFrame } from './hub-frame.js';
import { HubLine } from './hub-line.js';

/** The operations that the live sockets need from the rest of the hub. */
interface LineCalls {
  /**
   * Runs `work` for a frame of `bytes` bytes. Throws when the frame is another user's and exceeds what that user
   * may store.
   */
  carry(connection: Socket, bytes: number, work: () => Promise<void>): Promise<void>;
  send(caller: AgentClaims, frame: { to: string; payload: unknown }): Promise<unknown>;
  /** Ids of the agents that have the agent as a contact. */
  listOwners(agentId: string): string[];
  /** Reports an internal failure, whose details are not sent to the client. */
  failed(error: unknown): void;
}

const PING_EVERY_MS = 25_000;
const LOOK_EVERY_MS = 5_000;

/**
 * The live sockets of all agents. They deliver inbox messages as they arrive and accept frames that send messages. They
 * store nothing, so a broken socket loses no message. The sockets of an ended registration are closed with 4401.
 * Contract: Hub.
 */
export class HubLines {
  private readonly lines = new Map<string, Set<HubLine>>();
  private cancels: (() => void)[] = [];
  private readonly slow: SlowReaders;

  constructor(
    private readonly directory: HubDirectory,
    private readonly clock: Clock,
    private readonly calls: LineCalls,
  ) {
    this.slow = new SlowReaders(clock);
    directory.onPresence((agentId, isOnline) => this.sendPresence(agentId, isOnline));
  }

  /** Starts the periodic pings and checks of the sockets. */
  start(): void {
    this.every(0, PING_EVERY_MS, (line) => line.ping());
    this.every(1, LOOK_EVERY_MS, (line) => {
      line.checkToken();
      line.checkReader();
    });
  }

  /** Closes every socket because the daemon stops. */
  stop(): void {
    for (const cancel of this.cancels.splice(0)) cancel();
    for (const line of this.open()) line.end(CLOSE.shuttingDown, 'the daemon stops');
    this.slow.stop();
  }

  /** Number of open sockets. */
  get size(): number {
    return [...this.open()].filter(({ isEnding }) => !isEnding).length;
  }

  /** Number of bytes queued for the readers of all sockets. */
  get queuedBytes(): number {
    let bytes = 0;
    for (const line of this.open()) bytes += line.queuedBytes;
    return bytes;
  }

  /**
   * Adopts the socket of a caller whose token has been checked. Listeners are attached synchronously, before any event
   * can be emitted.
   */
  add(socket: WebSocket, connection: Socket, caller: AgentClaims): void {
    socket.on('error', () => socket.terminate());
    const agent = this.directory.find(caller.agent_id);
    if (agent?.rid !== caller.rid) {
      socket.close(CLOSE.revoked, 'this registration is over');
      return;
    }
    const key = agentKey(agent.agent_id);
    const own = this.lines.get(key) ?? new Set();
    if (own.size >= SOCKETS_MAX) {
      socket.close(CLOSE.policy, `an agent has at most ${SOCKETS_MAX} live sockets`);
      return;
    }
    const line: HubLine = new HubLine(
      agent,
      caller.exp,
      socket,
      connection,
      this.clock,
      this.slow,
      (text) => void this.take(line, caller, text, connection),
      () => {
        own.delete(line);
        if (own.size === 0) this.lines.delete(key);
      },
    );
    own.add(line);
    this.lines.set(key, own);
  }

  /**
   * Sends the message to every socket of `receiver`. For a direct message, both peers are first sent the id of their
   * direct thread. Returns whether any socket accepted the message.
   */
  deliver(receiver: HubRegistration, message: HubMessage, sender: HubRegistration): boolean {
    if (message.msg_type === 'message') this.notifyThread(sender, receiver);
    let isDelivered = false;
    for (const line of this.of(receiver)) isDelivered = line.send({ type: 'message', ...message }) || isDelivered;
    return isDelivered;
  }

  /**
   * Closes the sockets of an ended registration. `owners` are given when it was online: they had it as a contact, and
   * are notified like its threads.
   */
  closeAll(agentId: string, owners?: readonly string[]): void {
    for (const line of this.lines.get(agentKey(agentId)) ?? []) line.end(CLOSE.revoked, 'this registration is over');
    if (owners) this.sendPresence(agentId, false, owners);
  }

  /** Closes the sockets of registrations that are no longer there, after all were replaced. */
  closeEnded(): void {
    for (const line of this.open()) {
      if (this.directory.findBySeq(line.agent.seq)?.rid !== line.agent.rid)
        line.end(CLOSE.revoked, 'this registration is over');
    }
  }

  private async take(line: HubLine, caller: AgentClaims, text: string, connection: Socket): Promise<void> {
    try {
      const frame = parseFrame(text);
      await this.calls.carry(connection, Buffer.byteLength(text), () => this.act(line, caller, frame));
    } catch (error) {
      if (!isMeshError(error)) this.calls.failed(error);
      const { code, message } = isMeshError(error)
        ? error
        : new MeshError('internal', 'The frame could not be carried out.');
      line.send(createErrorFrame(code, message));
    }
  }

  private async act(line: HubLine, caller: AgentClaims, frame: HubClientFrame): Promise<void> {
    const own = this.directory.of(caller);
    const peer = this.directory.get(frame.to);
    const room = getDirectThreadId(own, peer);
    if (frame.type === 'connect_to') {
      line.threads.delete(agentKey(peer.agent_id));
      return this.notifyThread(own, peer);
    }
    if (frame.room_id !== undefined && frame.room_id !== room) {
      throw new MeshError('bad_request', `"room_id" is not the room of the two: it is ${room}.`);
    }
    await this.calls.send(caller, { to: frame.to, payload: frame.payload });
  }

  /** Sends every socket of both peers the id of their direct thread, once per socket. */
  private notifyThread(one: HubRegistration, other: HubRegistration): void {
    const room_id = getDirectThreadId(one, other);
    const frame: HubServerFrame = {
      type: 'room_created',
      msg_type: 'room_created',
      room_id,
      from: one.agent_id,
      to: other.agent_id,
      peers: [one.agent_id, other.agent_id],
    };
    for (const [agent, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      const key = agentKey(peer.agent_id);
      for (const line of this.of(agent)) {
        if (line.threads.get(key) === room_id) continue;
        line.threads.set(key, room_id);
        line.send(frame);
      }
    }
  }

  /** Notifies the sockets of agents that have the agent as a contact or have a direct thread with it. */
  private sendPresence(agentId: string, isOnline: boolean, given?: readonly string[]): void {
    if (this.lines.size === 0) return;
    const key = agentKey(agentId);
    const owners = new Set((given ?? this.calls.listOwners(agentId)).map(agentKey));
    const payload = { agent_id: agentId, status: isOnline ? ('online' as const) : ('offline' as const) };
    for (const line of this.open()) {
      if (!owners.has(agentKey(line.agent.agent_id)) && !line.threads.has(key)) continue;
      line.send({ type: 'presence', msg_type: 'presence', payload, agent_id: agentId, online: isOnline });
    }
  }

  private of(agent: HubRegistration): Iterable<HubLine> {
    return this.lines.get(agentKey(agent.agent_id)) ?? [];
  }

  private *open(): Iterable<HubLine> {
    for (const own of this.lines.values()) yield* own;
  }

  private every(slot: number, ms: number, look: (line: HubLine) => void): void {
    this.cancels[slot] = this.clock.after(ms, () => {
      this.every(slot, ms, look);
      for (const line of [...this.open()]) look(line);
    });
  }
}
