import { formatNear } from '../places/where-format.js';

/** An item on the map: its name, the label of its place, and its position on the sheet. */
export interface Spot {
  key: string;
  name: string;
  /** The label of its place, which is all of the position that is shown to people. */
  label: string;
  kind: 'post' | 'cluster';
  x: number;
  y: number;
}

/** Spots that would overlap, drawn as one dot. */
export interface Dot {
  key: string;
  x: number;
  y: number;
  spots: readonly Spot[];
}

const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
export const inOrder = (a: Pick<Spot, 'name' | 'key'>, b: Pick<Spot, 'name' | 'key'>) =>
  byName.compare(a.name, b.name) || (a.key < b.key ? -1 : 1);

/** Merges each dot into the first dot that is less than `apart` away, and keeps the order. */
function joined(dots: readonly Dot[], apart: number): Dot[] {
  const cells = new Map<string, Dot[][]>();
  const groups: Dot[][] = [];
  for (const dot of dots) {
    const [column, row] = [Math.floor(dot.x / apart), Math.floor(dot.y / apart)];
    const near = [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(`${column + dx} ${row + dy}`) ?? []))
      .find(([first]) => first && Math.hypot(first.x - dot.x, first.y - dot.y) < apart);
    if (near) near.push(dot);
    else {
      const group = [dot];
      groups.push(group);
      const cell = `${column} ${row}`;
      cells.set(cell, [...(cells.get(cell) ?? []), group]);
    }
  }
  return groups.map((group) => {
    const spots = group.flatMap((dot) => dot.spots);
    return { key: group[0]?.key ?? '', x: middle(spots.map(({ x }) => x)), y: middle(spots.map(({ y }) => y)), spots };
  });
}

const middle = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Merges spots into dots that are at least `apart` units of the sheet from each other, sorted by the name of their
 * first spot.
 */
export function gathered(spots: readonly Spot[], apart: number): Dot[] {
  let dots: Dot[] = [...spots].sort(inOrder).map((spot) => ({ key: spot.key, x: spot.x, y: spot.y, spots: [spot] }));
  // A merged dot is at the mean of its spots, where it may be too near to another one. Repeats until nothing changes.
  for (;;) {
    const fewer = joined(dots, apart);
    if (fewer.length === dots.length) return dots;
    dots = fewer;
  }
}

const nouns = { post: ['post', 'posts'], cluster: ['cluster', 'clusters'], both: ['place', 'places'] } as const;

/** Describes a dot as `12 posts near Porto`: the number, the kind, and the most frequent label. */
export function formatDot(spots: readonly Spot[]): string {
  const counts = new Map<string, number>();
  for (const { label } of spots) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [label = ''] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const kinds = new Set<keyof typeof nouns>(spots.map(({ kind }) => kind));
  const [kind = 'both'] = kinds.size === 1 ? kinds : [];
  return `${spots.length} ${nouns[kind][spots.length === 1 ? 0 : 1]} ${formatNear(label)}`;
}
