import type { Socket } from '../../../../daemon/client/socket.js';
import type { Timers } from '../../../../daemon/client/timers.js';
import { WallLine, type WallStatus } from '../../../../daemon/client/wall-line.js';
import {
  type MessageContent,
  parsePayload,
  parseStreamPiece,
} from '../../../../daemon/client/wall-messages/wall-payload.js';
import type { MessageFrame, Vis, WallFrame } from '../../../../daemon/contract/wall.js';
import { type DeliveryState, type MessageLine, type Note, type WallBlock, WallLog } from './wall-log.js';
import { WallStreams } from './wall-streams.js';

/** Handle, visibility and token of a connection to a cluster. */
export interface WallIdentity {
  handle: string;
  vis: Vis;
  token: string | null;
}

/** The rendered state of a cluster. The same object until something changes. */
export interface WallView {
  status: WallStatus;
  /** Visible handles in order of arrival. The same array until presence changes. */
  people: readonly string[];
  blocks: readonly WallBlock[];
  /** Number of messages received from others. The difference of two values is the number of new messages. */
  receivedCount: number;
  /** Key of the newest line, -1 when there is none. */
  newest: number;
  /** The newest line sent from this tab, while it is in the log. */
  own: MessageLine | undefined;
  isTrimmed: boolean;
}

interface WallSessionOptions {
  open(as: WallIdentity): Omit<Socket, 'onopen'>;
  /** As that of the line. */
  mayConnect?: () => Promise<boolean>;
  isOpenToUs(as: WallIdentity): Promise<boolean>;
  timers: Timers;
  /** Runs once before the next frame, so that several changes are rendered together. */
  beforeNextPicture(run: () => void): void;
}

/** The most names in one line about presence. */
const CAME_AND_WENT_MAX = 40;
const NOTHING_YET: MessageContent = { text: '', media: [], data: undefined };

/**
 * One cluster in one tab: its connection, the messages received since it was joined, and the people online. Nothing of
 * it outlives the tab.
 */
export class WallSession {
  readonly log = new WallLog();
  private readonly line: WallLine;
  private readonly watchers = new Set<() => void>();
  private readonly people = new Set<string>();
  /** Cached list of people, until presence changes. */
  private listed: readonly string[] | undefined;
  private readonly streams = new WallStreams(this.log);
  /** Own lines that the daemon has not acknowledged, oldest first. */
  private awaiting: number[] = [];
  private status: WallStatus = { state: 'joining' };
  private own: { key: number; text: string } | undefined;
  private hasBeenIn = false;
  private cutSince: number | undefined;
  private receivedCount = 0;
  private isDrawing = false;
  private view: WallView = {
    status: this.status,
    people: [],
    blocks: [],
    receivedCount: 0,
    newest: -1,
    own: undefined,
    isTrimmed: false,
  };

  constructor(
    private as: WallIdentity,
    private readonly options: WallSessionOptions,
  ) {
    this.line = new WallLine({
      open: () => options.open(this.as),
      mayConnect: options.mayConnect,
      isOpenToUs: () => options.isOpenToUs(this.as),
      timers: options.timers,
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => this.turn(status),
    });
  }

  /** Whether the connection is open at this moment, whatever was rendered last. */
  get isIn(): boolean {
    return this.line.isIn;
  }

  start(): void {
    this.line.start();
  }

  stop(): void {
    this.line.stop();
  }

  wake(): void {
    this.line.wake();
  }

  /** Rejoins with another handle, visibility or token. The received messages stay. */
  rejoinAs(as: WallIdentity): void {
    if (as.handle === this.as.handle && as.vis === this.as.vis && as.token === this.as.token) return;
    this.as = as;
    this.again();
  }

  /** Rejoins, even after an ending. */
  again(): void {
    this.line.stop();
    this.line.start();
  }

  /** Sends to everyone (`to` is null) or to the named handles. Returns false, without sending, when disconnected. */
  say(payload: unknown, to: readonly string[] | null): boolean {
    const [only] = to ?? [];
    const frame = to === null ? { payload } : { to: to.length === 1 ? only : to, payload };
    if (!this.line.send(JSON.stringify(frame))) return false;
    const content = parsePayload(payload);
    const key = this.log.add({
      kind: 'said',
      at: this.options.timers.now(),
      from: this.as.handle,
      isOwn: true,
      to,
      said: content,
      isBeingWritten: false,
      board: undefined,
      standing: { state: 'sending' },
    });
    this.own = { key, text: content.text };
    this.awaiting.push(key);
    this.draw();
    return true;
  }

  /** The last message sent from this tab. It may not be rendered yet. */
  get lastSentText(): string | undefined {
    return this.own?.text;
  }

  readonly read = () => this.view;

  readonly watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };

  private take(frame: WallFrame): void {
    switch (frame.kind) {
      case 'ready':
        this.joined(frame.online);
        break;
      case 'presence':
        this.moved(frame.agent, frame.status === 'online');
        break;
      case 'message':
        this.addMessage(frame);
        break;
      case 'ack':
        this.answered({ state: 'reached', count: frame.delivered });
        break;
      case 'error':
        if (!this.answered({ state: 'refused', detail: frame.detail }))
          this.note({ what: 'error', detail: frame.detail });
        break;
      case 'board':
        this.note({ what: 'board', frame });
        break;
      case 'closed':
        break;
    }
    this.draw();
  }

  private turn(status: WallStatus): void {
    this.status = status;
    if (status.state === 'in') this.hasBeenIn = true;
    if (status.state === 'cut' && this.hasBeenIn) this.cutSince ??= status.since;
    if (status.state === 'cut' || status.state === 'over') {
      this.people.clear();
      this.listed = undefined;
      while (this.answered({ state: 'unknown' }));
      this.streams.end();
    }
    this.draw();
  }

  private joined(online: readonly string[]): void {
    this.people.clear();
    for (const handle of online) this.people.add(handle);
    this.listed = undefined;
    if (this.cutSince === undefined) this.note({ what: 'joined', handle: this.as.handle, vis: this.as.vis });
    else this.note({ what: 'cut', since: this.cutSince, until: this.options.timers.now() });
    this.cutSince = undefined;
  }

  private moved(handle: string, isHere: boolean): void {
    if (isHere) this.people.add(handle);
    else this.people.delete(handle);
    this.listed = undefined;
    if (handle === this.as.handle) return;
    const last = this.log.findLast();
    const [came, left] = isHere ? [[handle], []] : [[], [handle]];
    if (last?.kind === 'note' && last.note.what === 'presence') {
      const others = (names: readonly string[]) => names.filter((name) => name !== handle);
      const note: Note = {
        what: 'presence',
        came: [...others(last.note.came), ...came].slice(-CAME_AND_WENT_MAX),
        left: [...others(last.note.left), ...left].slice(-CAME_AND_WENT_MAX),
      };
      this.log.replace({ ...last, at: this.options.timers.now(), note });
    } else this.note({ what: 'presence', came, left });
  }

  private addMessage({ from, to, ts, payload, board }: MessageFrame): void {
    const line: Omit<MessageLine, 'key' | 'said' | 'isBeingWritten'> = {
      kind: 'said',
      at: ts * 1_000,
      from,
      isOwn: false,
      to: to === null ? null : [to],
      board,
      standing: undefined,
    };
    const piece = parseStreamPiece(payload);
    if (!piece) {
      this.receivedCount += 1;
      this.log.add({ ...line, said: parsePayload(payload), isBeingWritten: false });
      return;
    }
    this.streams.take(JSON.stringify([from, to, piece.stream]), piece, () => {
      this.receivedCount += 1;
      return this.log.add({ ...line, said: NOTHING_YET, isBeingWritten: true });
    });
  }

  /** Applies a response to the oldest unacknowledged own line. Returns false when there is none. */
  private answered(delivery: DeliveryState): boolean {
    const key = this.awaiting.shift();
    if (key === undefined) return false;
    const line = this.log.find(key);
    if (line?.kind === 'said') this.log.replace({ ...line, standing: delivery });
    return true;
  }

  private note(note: Note): void {
    this.log.add({ kind: 'note', at: this.options.timers.now(), note });
  }

  private draw(): void {
    if (this.isDrawing) return;
    this.isDrawing = true;
    this.options.beforeNextPicture(() => {
      this.isDrawing = false;
      this.streams.settle();
      this.listed ??= [...this.people];
      const { status, listed: people, receivedCount, log } = this;
      const own = this.own && log.find(this.own.key);
      this.view = {
        status,
        people,
        blocks: log.blocks(),
        receivedCount,
        newest: log.total - 1,
        own: own?.kind === 'said' ? own : undefined,
        isTrimmed: log.isTrimmed,
      };
      for (const notify of this.watchers) notify();
    });
  }
}
