import { nearWords } from '../places/where-words.js';

/** What stands on the map: a name to be found by, the words of its place, and where it lies on the sheet. */
export interface Spot {
  key: string;
  name: string;
  /** The words of its place, which is all that people are shown of it. */
  label: string;
  kind: 'post' | 'cluster';
  x: number;
  y: number;
}

/** Spots that would lie on one another, as one dot. */
export interface Dot {
  key: string;
  x: number;
  y: number;
  spots: readonly Spot[];
}

const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
export const inOrder = (a: Pick<Spot, 'name' | 'key'>, b: Pick<Spot, 'name' | 'key'>) =>
  byName.compare(a.name, b.name) || (a.key < b.key ? -1 : 1);

/** Gathers spots that are less than `apart` units of the sheet from the first of them; dots come in the order of their first spot's name. */
export function gathered(spots: readonly Spot[], apart: number): Dot[] {
  const cells = new Map<string, Spot[][]>();
  const dots: Spot[][] = [];
  for (const spot of [...spots].sort(inOrder)) {
    const [column, row] = [Math.floor(spot.x / apart), Math.floor(spot.y / apart)];
    const near = [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(`${column + dx} ${row + dy}`) ?? []))
      .find(([first]) => first && Math.hypot(first.x - spot.x, first.y - spot.y) < apart);
    if (near) near.push(spot);
    else {
      const dot = [spot];
      dots.push(dot);
      const cell = `${column} ${row}`;
      cells.set(cell, [...(cells.get(cell) ?? []), dot]);
    }
  }
  return dots.map((those) => ({
    key: those[0]?.key ?? '',
    x: those.reduce((sum, { x }) => sum + x, 0) / those.length,
    y: those.reduce((sum, { y }) => sum + y, 0) / those.length,
    spots: those,
  }));
}

const nouns = { post: ['post', 'posts'], cluster: ['room', 'rooms'], both: ['place', 'places'] } as const;

/** `12 posts near Porto`: how many of what, and the label that most of them have. */
export function dotWords(spots: readonly Spot[]): string {
  const counts = new Map<string, number>();
  for (const { label } of spots) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [label = ''] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const kinds = new Set<keyof typeof nouns>(spots.map(({ kind }) => kind));
  const [kind = 'both'] = kinds.size === 1 ? kinds : [];
  return `${spots.length} ${nouns[kind][spots.length === 1 ? 0 : 1]} ${nearWords(label)}`;
}
