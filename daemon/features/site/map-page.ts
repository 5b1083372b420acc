import type { MapData, MapPlace } from '../../contract/saved-clusters.js';
import { equalEarth } from './equal-earth.js';
import { type Html, html } from './html.js';
import { groupSpots, type Spot } from './map-spots.js';
import { page } from './page-shell.js';
import { WORLD } from './world-outline.js';

const DOT_MIN = 9;
const DOT_MAX = 34;
const DOT_STEP = 3;
/** Number of posts at one place up to which the list is not collapsed. */
const UNFOLDED_MAX = 3;

const clusterLink = ({ slug, cluster }: MapPlace) => html`<a href="/clusters/${slug}"><bdi>${cluster}</bdi></a>`;

/** For example `3 clusters, 1 post`. */
function formatCount({ clusters, posts }: Spot): string {
  const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]);
  return [...counted(clusters.length, 'cluster'), ...counted(posts.length, 'post')].join(', ');
}

/**
 * The dot of a spot, linked to its entry in the list. Its position is the only output that depends on the coordinates.
 */
function dot(spot: Spot, index: number): Html | undefined {
  if (!spot.point) return undefined;
  const { x, y } = equalEarth(spot.point, WORLD.width);
  const radius = Math.min(DOT_MAX, DOT_MIN + DOT_STEP * Math.log2(spot.clusters.length + spot.posts.length));
  const kind = spot.clusters.length > 0 ? 'dot' : 'dot only-posts';
  return html`<a href="#place-${index}" tabindex="-1"><circle class="${kind}" cx="${Math.round(x)}" cy="${Math.round(y)}" r="${Math.round(radius)}"><title>${spot.label}: ${formatCount(spot)}</title></circle></a>`;
}

/** The drawing. It is hidden from assistive technology and the keyboard, since the list contains the same data. */
function renderDrawing(spots: readonly Spot[]): Html {
  return html`<svg class="world" viewBox="0 0 ${WORLD.width} ${WORLD.height}" aria-hidden="true">
<path class="sea" d="${WORLD.sphere}"/>
<path class="land" d="${WORLD.land}"/>
${spots.map(dot)}
</svg>`;
}

const postHtml = (place: MapPlace) => html`<li><span dir="auto">${place.title ?? ''}</span>
<small>on <code>#${place.board ?? ''}</code> of ${clusterLink(place)}</small></li>`;

function postsHtml({ posts }: Spot): Html | undefined {
  if (posts.length === 0) return undefined;
  const list = html`<ul class="posts">${posts.map(postHtml)}</ul>`;
  return posts.length <= UNFOLDED_MAX ? list : html`<details><summary>${posts.length} posts</summary>${list}</details>`;
}

function entry(spot: Spot, index: number): Html {
  return html`<article id="place-${index}">
<h3 dir="auto">${spot.label}</h3>
${spot.point ? undefined : html`<p class="quiet">Not on the map: known by its name only.</p>`}
${spot.clusters.length === 0 ? undefined : html`<ul class="posts">${spot.clusters.map((place) => html`<li>${clusterLink(place)}</li>`)}</ul>`}
${postsHtml(spot)}
</article>`;
}

/**
 * The map of public clusters and their located posts, together with an equivalent list. Coordinates only position the
 * dots and are never printed. Spec: What the service does, 2.
 */
export function mapPage({ places, truncated }: MapData): string {
  const spots = groupSpots(places);
  const more = truncated
    ? html`<p class="quiet">There are more: the ${places.length} shown are the newest clusters and posts.</p>`
    : undefined;
  const list =
    spots.length === 0
      ? html`<p class="quiet">No public cluster or post has a location.</p>`
      : html`<div class="places">${spots.map(entry)}</div>${more}`;
  return page(
    'Map of public clusters',
    html`<header><h1>Map of public clusters</h1>
<p class="pitch">Places of public clusters and their posts, as their creators set them. Private clusters are not shown.</p></header>
${renderDrawing(spots)}
<section><h2>Places</h2>
${list}</section>`,
  );
}
