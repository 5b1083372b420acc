import type { MessageList, ToolCall } from '../../../daemon/contract/conversations.js';

interface Piece {
  index: number;
  text: string;
}

/** What the running turn has said and done, as far as it is known without a gap. */
export interface LiveTurn {
  turn: string;
  text: string;
  /** The piece that comes next. */
  nextIndex: number;
  calls: readonly ToolCall[];
  /** Pieces that came after a gap: they wait until what lies between has been read. */
  ahead: readonly Piece[];
}

const begun = (turn: string): LiveTurn => ({ turn, text: '', nextIndex: 0, calls: [], ahead: [] });
const of = (live: LiveTurn | undefined, turn: string): LiveTurn => (live?.turn === turn ? live : begun(turn));

/** Appends the pieces that now fit and forgets those that are known already. */
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

/** Whether pieces are missing, so that the transcript must be read again. */
export const hasGap = (live: LiveTurn | undefined): boolean => live !== undefined && live.ahead.length > 0;

/** Takes a `turn.delta`: appends what comes next, ignores what was heard before, keeps aside what came too early. */
export function takeDelta(live: LiveTurn | undefined, { turn, index, text }: { turn: string } & Piece): LiveTurn {
  const known = of(live, turn);
  if (index < known.nextIndex) return known;
  if (index === known.nextIndex && known.ahead.length === 0)
    return { ...known, text: known.text + text, nextIndex: index + 1 };
  return settled({ ...known, ahead: [...known.ahead, { index, text }] });
}

/** Takes a `turn.tool`: the same call again replaces what was said of it. */
export function takeCall(live: LiveTurn | undefined, turn: string, call: ToolCall): LiveTurn {
  const known = of(live, turn);
  const isKnown = known.calls.some(({ id }) => id === call.id);
  return {
    ...known,
    calls: isKnown ? known.calls.map((one) => (one.id === call.id ? call : one)) : [...known.calls, call],
  };
}

/** Takes what the daemon says of the running turn; pieces that came since are put after it, and a stale answer changes nothing. */
export function takeSnapshot(live: LiveTurn | undefined, snapshot: NonNullable<MessageList['live']>): LiveTurn {
  const known = of(live, snapshot.turn);
  if (snapshot.next_index < known.nextIndex) return known;
  // A call that was heard of while the answer was on its way is newer than the answer, unless the answer has more to say of it.
  const calls = snapshot.calls.map((call) => {
    const heard = known.calls.find(({ id }) => id === call.id);
    return heard && heard.state !== 'running' ? heard : call;
  });
  const newer = known.calls.filter((call) => !calls.some(({ id }) => id === call.id));
  return settled({ ...known, text: snapshot.text, nextIndex: snapshot.next_index, calls: [...calls, ...newer] });
}
