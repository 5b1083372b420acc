import { useMemo } from 'react';
import type { Post } from '../../../daemon/contract/boards.js';
import type { Where } from '../../../daemon/contract/clusters.js';
import type { Spot } from '../map/dots.js';
import { fitted, RATIO, readView, viewText } from '../map/map-view.js';
import { onSheet } from '../map/projection.js';
import WorldMap, { type DotLook } from '../map/world-map.js';
import { isLocated } from '../places/where-choice.js';
import type { BoardRules } from './rules/board-rules.js';

/** The closest zoom that the map chooses by itself. */
const FIRST_ZOOM = 8;
/** Value of the query parameter for the whole world, which differs from an absent one. */
const WORLD = 'world';

interface BoardMapProps {
  posts: readonly Post[];
  rules: BoardRules;
  at: string | undefined;
  onAt: (at: string) => void;
  postLink: (post: Post, look: DotLook) => React.ReactNode;
  closerLink: (at: string, look: DotLook) => React.ReactNode;
}

function getSpot({ id, title, props }: Post, inherited: Where | undefined): Spot | undefined {
  const where = props?.where ?? inherited;
  if (!isLocated(where)) return undefined;
  return { key: id, name: title, label: where.label, kind: 'post', ...onSheet(where) };
}

/** The posts of a board on a map, each at its own place or else at the board's. */
export default function BoardMap({ posts, rules, at, onAt, postLink, closerLink }: BoardMapProps) {
  const inherited = rules.where?.value;
  const spots = useMemo(() => posts.flatMap((post) => getSpot(post, inherited) ?? []), [posts, inherited]);
  const byId = useMemo(() => new Map(posts.map((post) => [post.id, post])), [posts]);
  return (
    <WorldMap
      label="Posts on the map"
      spots={spots}
      // Without a chosen view, the map fits the posts.
      view={at === undefined ? fitted(spots, RATIO, FIRST_ZOOM) : readView(at)}
      onView={(view) => onAt(viewText(view) ?? WORLD)}
      spotLink={({ key }, look) => {
        const post = byId.get(key);
        return post && postLink(post, look);
      }}
      closerLink={(view, look) => closerLink(viewText(view) ?? WORLD, look)}
    />
  );
}
