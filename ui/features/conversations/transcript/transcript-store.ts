import type { Message, MessageList, Turn } from '../../../../daemon/contract/conversations.js';
import type { EventFrame } from '../../../../daemon/contract/events.js';
import { hasGap, type LiveTurn, takeCall, takeDelta, takeSnapshot } from './live-turn.js';

export interface Transcript {
  /** In chronological order. */
  messages: readonly Message[];
  turns: ReadonlyMap<string, Turn>;
  /** How many of `messages` were read above the first page. Their positions are negative. */
  above: number;
  hasMore: boolean;
  isReadingOlder: boolean;
  /** The newest page and everything down from where the transcript opens have been read. */
  isRead: boolean;
  /** The oldest answer that was unread when the transcript was opened. */
  firstUnread: string | undefined;
  error: unknown;
}

interface TranscriptWorld {
  readPage(limit: number, before?: string): Promise<MessageList>;
  /** Runs before the next paint. */
  nextFrame(run: () => void): void;
  later(run: () => void, ms: number): void;
}

const PAGE = 100;
const GATHER_MS = 40;

/**
 * The transcript of one open conversation. Events are applied at once. When some may have been missed, the newest page
 * is read again, after which the transcript equals the daemon's. Watchers of the running turn are notified at most once
 * per frame.
 */
export class TranscriptStore {
  private transcript: Transcript = {
    messages: [],
    turns: new Map(),
    above: 0,
    hasMore: false,
    isReadingOlder: false,
    isRead: false,
    firstUnread: undefined,
    error: undefined,
  };
  private live: LiveTurn | undefined;
  private shownLive: LiveTurn | undefined;
  private olderPage = Promise.resolve();
  private isFrameDue = false;
  private isReading = false;
  private isStale = false;
  private isGathering = false;
  private isClosed = false;
  /** Counts the received events, so that a response can be ordered against them. */
  private receivedCount = 0;
  private liveSince = 0;
  private linked: string | undefined;
  private readonly ended = new Set<string>();
  private readonly watchers = new Set<() => void>();
  private readonly liveWatchers = new Set<() => void>();

  constructor(
    private readonly conv: string,
    private readonly world: TranscriptWorld,
  ) {}

  readonly read = () => this.transcript;
  readonly readLive = () => this.shownLive;

  readonly watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };

  readonly watchLive = (notify: () => void) => {
    this.liveWatchers.add(notify);
    return () => this.liveWatchers.delete(notify);
  };

  /** Makes the transcript open at a message, whatever is unread; undefined at the first unread one. */
  openAt(message: string | undefined): void {
    this.linked = message;
    const { messages, hasMore } = this.transcript;
    if (message !== undefined && hasMore && !messages.some(({ id }) => id === message)) this.set({ isRead: false });
  }

  /** Idempotent: a store may be opened again, as in React's strict mode. */
  open(): void {
    this.isClosed = false;
    this.refresh();
  }

  close(): void {
    this.isClosed = true;
  }

  readonly take = (frame: EventFrame): void => {
    if (frame.type === 'hello') this.refreshSoon();
    if (!('conv' in frame) || frame.conv !== this.conv) return;
    this.receivedCount += 1;
    switch (frame.type) {
      case 'message.added':
        this.addMessage(frame.message);
        break;
      case 'turn.delta':
        if (!this.ended.has(frame.turn)) this.setLive(takeDelta(this.live, frame));
        break;
      case 'turn.tool':
        if (!this.ended.has(frame.turn)) this.setLive(takeCall(this.live, frame.turn, frame.call));
        break;
      case 'turn.ended':
        this.endTurn(frame.turn);
        this.refreshSoon();
        break;
      case 'conversation.updated':
      case 'conversation.archived':
        this.refreshSoon();
        break;
      default:
        break;
    }
    if (hasGap(this.live)) this.refreshSoon();
  };

  /** Reads the newest page. A call during a read causes one more read afterwards. */
  refresh(): void {
    if (this.isClosed) return;
    if (this.isReading) {
      this.isStale = true;
      return;
    }
    this.isReading = true;
    this.isStale = false;
    const asked = this.receivedCount;
    this.world.readPage(PAGE).then(
      (page) => this.readDone(() => this.takeNewest(page, asked)),
      (error: unknown) => this.readDone(() => this.set({ error })),
    );
  }

  /**
   * Returns the first message since a time, after it has read all pages down from there; undefined when all messages
   * are older. Throws the error of a page that cannot be read.
   */
  async findSince(ms: number): Promise<Message | undefined> {
    for (;;) {
      const { messages, hasMore } = this.transcript;
      const first = messages[0];
      if (!first || !hasMore || Date.parse(first.created_at) < ms)
        return messages.find(({ created_at }) => Date.parse(created_at) >= ms);
      await this.readOlder();
      if (this.transcript.messages[0] === first && this.transcript.hasMore)
        throw this.transcript.error ?? new Error('The older messages could not be read.');
    }
  }

  /** Reads the page above the oldest message. Resolves when it is read, or could not be. */
  readOlder(): Promise<void> {
    const { messages, hasMore, isReadingOlder } = this.transcript;
    const first = messages[0];
    if (!first || !hasMore || isReadingOlder) return this.olderPage;
    this.set({ isReadingOlder: true });
    this.olderPage = this.world.readPage(PAGE, first.id).then(
      (page) => {
        // A refresh may have replaced everything meanwhile; then this page does not adjoin the transcript.
        if (this.transcript.messages[0]?.id !== first.id) {
          this.set({ isReadingOlder: false });
          return;
        }
        this.set({
          messages: [...page.messages, ...this.transcript.messages],
          turns: this.mergedTurns(page.turns),
          above: this.transcript.above + page.messages.length,
          hasMore: page.has_more,
          isReadingOlder: false,
        });
        this.reachOpening();
      },
      (error: unknown) => this.set({ isReadingOlder: false, error }),
    );
    return this.olderPage;
  }

  private readDone(take: () => void): void {
    this.isReading = false;
    if (this.isClosed) return;
    take();
    if (this.isStale) this.refresh();
  }

  private refreshSoon(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.world.later(() => {
      this.isGathering = false;
      this.refresh();
    }, GATHER_MS);
  }

  private takeNewest(page: MessageList, asked: number): void {
    for (const { turn, state } of page.turns) if (state === 'ended') this.ended.add(turn);
    const was = this.transcript;
    const first = page.messages[0];
    const meets = first ? was.messages.findIndex(({ id }) => id === first.id) : -1;
    const has = new Set(page.messages.map(({ id }) => id));
    // Messages are only ever added. A known message that is newer than the page's first and not in the page arrived
    // while the page was being read.
    const since = meets === -1 ? [] : was.messages.slice(meets).filter(({ id }) => !has.has(id));
    const known = new Map(was.messages.slice(Math.max(0, meets)).map((message) => [message.id, message]));
    const fresh = page.messages.map((message) => known.get(message.id) ?? message);
    const { isRead, firstUnread } = was;
    this.set({
      messages: meets === -1 ? fresh : [...was.messages.slice(0, meets), ...fresh, ...since],
      turns: this.mergedTurns(page.turns),
      above: meets === -1 ? 0 : was.above,
      hasMore: meets === -1 ? page.has_more : was.messages[0] === was.messages[meets] ? page.has_more : was.hasMore,
      firstUnread: isRead ? firstUnread : (page.first_unread ?? undefined),
      error: undefined,
    });
    this.reachOpening();
    if (page.live && !this.ended.has(page.live.turn)) this.setLive(takeSnapshot(this.live, page.live));
    else if (this.live && (this.liveSince <= asked || this.ended.has(this.live.turn))) this.setLive(undefined);
  }

  /** Reads older pages until the linked message or the first unread answer is loaded: the transcript opens there. */
  private reachOpening(): void {
    const { isRead, firstUnread, messages, hasMore } = this.transcript;
    if (isRead) return;
    const opening = this.linked ?? firstUnread;
    if (opening === undefined || !hasMore || messages.some(({ id }) => id === opening)) this.set({ isRead: true });
    else void this.readOlder();
  }

  private addMessage(message: Message): void {
    const { messages } = this.transcript;
    if (message.role === 'assistant') this.endTurn(message.turn);
    if (!this.transcript.isRead || messages.some(({ id }) => id === message.id)) return;
    this.set({ messages: [...messages, message] });
  }

  private endTurn(turn: string): void {
    this.ended.add(turn);
    if (this.live?.turn === turn) this.setLive(undefined);
  }

  /** Merges turns. A turn keeps its identity while it is unchanged. */
  private mergedTurns(turns: readonly Turn[]): ReadonlyMap<string, Turn> {
    const merged = new Map(this.transcript.turns);
    let hasChanged = false;
    for (const turn of turns) {
      const known = merged.get(turn.turn);
      if (known && (known.state === 'ended' || JSON.stringify(known) === JSON.stringify(turn))) continue;
      merged.set(turn.turn, turn);
      hasChanged = true;
    }
    return hasChanged ? merged : this.transcript.turns;
  }

  private set(changed: Partial<Transcript>): void {
    if (this.isClosed) return;
    this.transcript = { ...this.transcript, ...changed };
    for (const notify of this.watchers) notify();
  }

  private setLive(live: LiveTurn | undefined): void {
    if (live && live.turn !== this.live?.turn) this.liveSince = this.receivedCount;
    this.live = live;
    // The end of a turn is shown together with its message.
    if (!live) this.showLive();
    if (!live || this.isFrameDue) return;
    this.isFrameDue = true;
    this.world.nextFrame(() => {
      this.isFrameDue = false;
      this.showLive();
    });
  }

  private showLive(): void {
    if (this.shownLive === this.live) return;
    this.shownLive = this.live;
    for (const notify of this.liveWatchers) notify();
  }
}
