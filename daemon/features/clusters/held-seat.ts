import { type Member, Seat } from './seat.js';

/** Called for each message that reaches the seat: whether it was to its handle alone. */
export type Heard = (isDirect: boolean) => void;

/**
 * A seat of the daemon itself, without a socket: it is there like any other, and of what is said it is told that it was said, never what. Nothing is
 * written to it, so that it is never behind and never silent.
 */
export class HeldSeat extends Seat {
  readonly queuedBytes = 0;
  readonly isSilent = false;

  constructor(
    member: Member,
    readonly hear: Heard,
  ) {
    super(member);
  }

  canTake(): boolean {
    return true;
  }

  write(): void {
    // What is said is counted where it is sent, see `Room`.
  }

  ping(): void {
    // There is no peer to answer.
  }

  isStalled(): boolean {
    return false;
  }

  end(): void {
    // Whoever holds it is told by what ended it.
  }

  cut(): void {
    // No connection to let go of.
  }
}
