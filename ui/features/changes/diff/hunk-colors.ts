import type { Piece } from '../../knowledge/highlight.js';
import type { Hunk, PatchRow, Side } from './patch.js';

/** Lines that are highlighted at once: few, so that a long hunk does not hold up scrolling. */
const SLICE_LINES = 40;

const SIDES = ['old', 'new'] as const;

/**
 * The highlighted lines of a hunk, which arrive slice by slice. Each side is highlighted as one text, because a line may
 * continue a comment or a string of the line before it.
 */
export class HunkColors {
  private readonly lines: Record<Side, Piece[][]> = { old: [], new: [] };
  private readonly position = new Map<PatchRow, number>();
  private readonly watchers = new Set<() => void>();
  private isStarted = false;

  constructor(
    private readonly path: string,
    private readonly hunk: Hunk,
  ) {
    for (const side of SIDES) this.rowsOf(side).forEach((row, at) => void this.position.set(row, at));
  }

  /** Starts highlighting; further calls do nothing. Without a grammar the lines stay plain. */
  start(signal: AbortSignal): void {
    if (this.isStarted) return;
    this.isStarted = true;
    // A hunk that is abandoned starts again when it is shown again.
    signal.addEventListener('abort', () => {
      this.isStarted = false;
      this.lines.old = [];
      this.lines.new = [];
    });
    void import('../../knowledge/highlight.js')
      .then(async ({ highlight }) => {
        for (const side of ['new', 'old'] as const) {
          const take = (slice: Piece[][]) => {
            this.lines[side].push(...slice);
            for (const notify of this.watchers) notify();
          };
          const text = this.rowsOf(side).map((row) => row.text);
          if (text.length > 0) await highlight(this.path, text, take, signal, SLICE_LINES);
        }
      })
      .catch(() => undefined);
  }

  readonly watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };

  /** Returns how many of `rows` are highlighted, which changes only when one of them is. */
  count(rows: readonly PatchRow[]): number {
    return rows.reduce((sum, row) => (this.get(row) ? sum + 1 : sum), 0);
  }

  get(row: PatchRow): readonly Piece[] | undefined {
    const at = this.position.get(row);
    return at === undefined ? undefined : this.lines[row.kind === 'removed' ? 'old' : 'new'][at];
  }

  /** Unchanged lines belong to both sides and are shown as those of the new one. */
  private rowsOf(side: Side): readonly PatchRow[] {
    if (side === 'old' && !this.hunk.rows.some(({ kind }) => kind === 'removed')) return [];
    return this.hunk.rows.filter(({ kind }) => kind === (side === 'old' ? 'removed' : 'added') || kind === 'same');
  }
}
