import type { MessageList, ToolCall } from '../../../../daemon/contract/conversations.js';

interface Piece {
  index: number;
  text: string;
}

/** The text and tool calls of the running turn, as far as they are known without a gap. */
export interface LiveTurn {
  turn: string;
  text: string;
  /** Index of the next piece. */
  nextIndex: number;
  calls: readonly ToolCall[];
  /** Pieces received after a gap. They are kept until the missing ones have been read. */
  ahead: readonly Piece[];
}

const begun = (turn: string): LiveTurn => ({ turn, text: '', nextIndex: 0, calls: [], ahead: [] });
const of = (live: LiveTurn | undefined, turn: string): LiveTurn => (live?.turn === turn ? live : begun(turn));

/** Appends the pieces that follow directly and drops those already known. */
function settled(live: LiveTurn): LiveTurn {
  let { text, nextIndex } = live;
  const ahead: Piece[] = [];
  for (const piece of [...live.ahead].sort((a, b) => a.index - b.index)) {
    if (piece.index === nextIndex) {
      text += piece.text;
      nextIndex += 1;
    } else if (piece.index > nextIndex) ahead.push(piece);
  }
  return { ...live, text, nextIndex, ahead };
}

/** Reports whether pieces are missing, so that the transcript must be read again. */
export const hasGap = (live: LiveTurn | undefined): boolean => live !== undefined && live.ahead.length > 0;

/** Applies a `turn.delta`: appends the next piece, ignores a known one, and keeps one that arrived early. */
export function takeDelta(live: LiveTurn | undefined, { turn, index, text }: { turn: string } & Piece): LiveTurn {
  const known = of(live, turn);
  if (index < known.nextIndex) return known;
  if (index === known.nextIndex && known.ahead.length === 0)
    return { ...known, text: known.text + text, nextIndex: index + 1 };
  return settled({ ...known, ahead: [...known.ahead, { index, text }] });
}

/** Applies a `turn.tool`: a call with a known id replaces the former one. */
export function takeCall(live: LiveTurn | undefined, turn: string, call: ToolCall): LiveTurn {
  const known = of(live, turn);
  const isKnown = known.calls.some(({ id }) => id === call.id);
  return {
    ...known,
    calls: isKnown ? known.calls.map((one) => (one.id === call.id ? call : one)) : [...known.calls, call],
  };
}

/**
 * Applies the daemon's snapshot of the running turn. Pieces received since are appended after it; a stale snapshot
 * changes nothing.
 */
export function takeSnapshot(live: LiveTurn | undefined, snapshot: NonNullable<MessageList['live']>): LiveTurn {
  const known = of(live, snapshot.turn);
  if (snapshot.next_index < known.nextIndex) return known;
  // A call that ended by an event is newer than the snapshot, which may still show it running.
  const calls = snapshot.calls.map((call) => {
    const heard = known.calls.find(({ id }) => id === call.id);
    return heard && heard.state !== 'running' ? heard : call;
  });
  const newer = known.calls.filter((call) => !calls.some(({ id }) => id === call.id));
  return settled({ ...known, text: snapshot.text, nextIndex: snapshot.next_index, calls: [...calls, ...newer] });
}
