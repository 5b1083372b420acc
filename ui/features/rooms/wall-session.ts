import type { Socket } from '../../../client/socket.js';
import type { Timers } from '../../../client/timers.js';
import { WallLine, type WallStatus } from '../../../client/wall-line.js';
import type { MessageFrame, Vis, WallFrame } from '../../../daemon/contract/wall.js';
import { type Note, type SaidLine, type Standing, type WallBlock, WallLog } from './wall-log.js';
import { type Said, saidIn, streamPieceOf } from './wall-payload.js';
import { WallStreams } from './wall-streams.js';

/** As whom one sits in a room, and with what one comes in. */
export interface SeatAs {
  handle: string;
  vis: Vis;
  token: string | null;
}

/** A room as it is drawn. The same object until something changed. */
export interface WallView {
  status: WallStatus;
  /** Visible handles, in the order in which they came. The same list until somebody came or went. */
  people: readonly string[];
  blocks: readonly WallBlock[];
  /** Messages of others that this tab heard: what is new is a difference of two of these. */
  heard: number;
  /** The newest line, -1 when there is none. */
  newest: number;
  /** The newest line that was said in this tab, while it is kept. */
  own: SaidLine | undefined;
  isTrimmed: boolean;
}

export interface WallSessionOptions {
  open(as: SeatAs): Omit<Socket, 'onopen'>;
  isOpenToUs(as: SeatAs): Promise<boolean>;
  timers: Timers;
  /** Runs once before the next picture; several changes until then are drawn as one. */
  beforeNextPicture(run: () => void): void;
}

/** Names that one line about coming and going holds. */
const CAME_AND_WENT_MAX = 40;
const NOTHING_YET: Said = { text: '', media: [], data: undefined };

/** One room in one tab: its line, what was heard since it was joined, and who is there. Nothing of it outlives the tab. */
export class WallSession {
  readonly log = new WallLog();
  private readonly line: WallLine;
  private readonly watchers = new Set<() => void>();
  private readonly people = new Set<string>();
  /** Those of the last picture, until somebody comes or goes. */
  private listed: readonly string[] | undefined;
  private readonly streams = new WallStreams(this.log);
  /** Own lines that the daemon has not answered, oldest first. */
  private awaiting: number[] = [];
  private status: WallStatus = { state: 'joining' };
  private own: { key: number; text: string } | undefined;
  private hasBeenIn = false;
  private cutSince: number | undefined;
  private heard = 0;
  private isDrawing = false;
  private view: WallView = {
    status: this.status,
    people: [],
    blocks: [],
    heard: 0,
    newest: -1,
    own: undefined,
    isTrimmed: false,
  };

  constructor(
    private as: SeatAs,
    private readonly options: WallSessionOptions,
  ) {
    this.line = new WallLine({
      open: () => options.open(this.as),
      isOpenToUs: () => options.isOpenToUs(this.as),
      timers: options.timers,
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => this.turn(status),
    });
  }

  /** Whether the line is up at this moment, whatever was drawn last. */
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

  /** Comes in again as somebody else, or with another token. What was heard stays. */
  sitAs(as: SeatAs): void {
    if (as.handle === this.as.handle && as.vis === this.as.vis && as.token === this.as.token) return;
    this.as = as;
    this.again();
  }

  /** Comes in again, after an ending too. */
  again(): void {
    this.line.stop();
    this.line.start();
  }

  /** Sends to everybody, or to those who are named. False where nothing was sent: the line is not up. */
  say(payload: unknown, to: readonly string[] | null): boolean {
    const [only] = to ?? [];
    const frame = to === null ? { payload } : { to: to.length === 1 ? only : to, payload };
    if (!this.line.send(JSON.stringify(frame))) return false;
    const said = saidIn(payload);
    const key = this.log.add({
      kind: 'said',
      at: this.options.timers.now(),
      from: this.as.handle,
      isOwn: true,
      to,
      said,
      isBeingWritten: false,
      board: undefined,
      standing: { state: 'sending' },
    });
    this.own = { key, text: said.text };
    this.awaiting.push(key);
    this.draw();
    return true;
  }

  /** What was said last in this tab, known at once: it may not be drawn yet. */
  get lastSaid(): string | undefined {
    return this.own?.text;
  }

  readonly read = () => this.view;

  readonly watch = (told: () => void) => {
    this.watchers.add(told);
    return () => this.watchers.delete(told);
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
        this.heardOf(frame);
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

  private heardOf({ from, to, ts, payload, board }: MessageFrame): void {
    const line: Omit<SaidLine, 'key' | 'said' | 'isBeingWritten'> = {
      kind: 'said',
      at: ts * 1_000,
      from,
      isOwn: false,
      to: to === null ? null : [to],
      board,
      standing: undefined,
    };
    const piece = streamPieceOf(payload);
    if (!piece) {
      this.heard += 1;
      this.log.add({ ...line, said: saidIn(payload), isBeingWritten: false });
      return;
    }
    this.streams.take(JSON.stringify([from, to, piece.stream]), piece, () => {
      this.heard += 1;
      return this.log.add({ ...line, said: NOTHING_YET, isBeingWritten: true });
    });
  }

  /** Whether there was a line of one's own that this answers. */
  private answered(standing: Standing): boolean {
    const key = this.awaiting.shift();
    if (key === undefined) return false;
    const line = this.log.find(key);
    if (line?.kind === 'said') this.log.replace({ ...line, standing });
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
      const { status, listed: people, heard, log } = this;
      const own = this.own && log.find(this.own.key);
      this.view = {
        status,
        people,
        blocks: log.blocks(),
        heard,
        newest: log.total - 1,
        own: own?.kind === 'said' ? own : undefined,
        isTrimmed: log.isTrimmed,
      };
      for (const told of this.watchers) told();
    });
  }
}
