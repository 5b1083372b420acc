import type { Props, Where } from '../../contract/clusters.js';
import type { PostHead, PublicBoard } from '../boards/public-boards.js';
import { clusterCalls } from './cluster-calls.js';
import type { ClusterFacts } from './cluster-site.js';
import { type Html, html } from './html.js';
import { page } from './page-shell.js';
import { timeHtml } from './page-time.js';

/** Maximum number of handles that are listed. Further ones are only counted. */
const NAMED_MAX = 200;

export const onlineChip = (count: number): Html =>
  html`<span class="chip ${count > 0 ? 'on' : 'off'}">${count} online</span>`;

/** The displayed form of a place: its label only, without coordinates. */
const getLabel = (where: Where | undefined) =>
  where === undefined ? undefined : where === 'none' ? html`Anywhere` : html`<bdi>${where.label}</bdi>`;

function row(label: string, value: Html | string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

const listRules = ({ where, lang, entry, limits }: Props) => [
  row('Where', getLabel(where)),
  row('Language', lang),
  row('Age', entry?.age_min === undefined ? undefined : `${entry.age_min} and older`),
  row(
    'Asks for',
    entry?.require === undefined || entry.require.length === 0
      ? undefined
      : html`<ul class="words">${entry.require.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`,
  ),
  row('Post length', limits?.post_max_chars === undefined ? undefined : `at most ${limits.post_max_chars} characters`),
];

/** A post is read in the dashboard, which needs no membership for a public cluster. */
const postHtml = (
  { id, title, author, created_at }: PostHead,
  { cluster, board, now }: { cluster: string; board: string; now: number },
) => html`<li><a href="/app/rooms/${cluster}/p/${id}?board=${board}" dir="auto">${title}</a>
<small>by <bdi>${author}</bdi>, ${timeHtml(created_at, now)}</small></li>`;

function posts(board: PublicBoard, cluster: string, now: number): Html {
  const { isAgeGated, newest, posts: count, props, slug } = board;
  if (isAgeGated)
    return html`<p class="quiet">Its posts are for people of ${props.entry?.age_min ?? 18} and older, and not shown here.</p>`;
  if (newest.length === 0) return html`<p class="quiet">No posts.</p>`;
  const more = count > newest.length ? html`<p class="quiet">${count} posts in all.</p>` : undefined;
  return html`<ul class="posts">${newest.map((post) => postHtml(post, { cluster, board: slug, now }))}</ul>${more}`;
}

const boardHtml = (board: PublicBoard, cluster: string, now: number) => html`<article>
<h3><bdi>${board.name}</bdi> <code>#${board.slug}</code></h3>
${board.about === '' ? undefined : html`<p dir="auto">${board.about}</p>`}
${posts(board, cluster, now)}
</article>`;

function boardsHtml({ cluster, boards, now }: ClusterFacts): Html {
  if (boards.length > 0)
    return html`<section><h2>Boards</h2>${boards.map((board) => boardHtml(board, cluster.id, now))}</section>`;
  const why = cluster.boards_enabled ? 'There are none yet.' : 'This cluster has none.';
  return html`<section><h2>Boards</h2><p class="quiet">${why}</p></section>`;
}

function renderOnlineMembers({ online }: ClusterFacts): Html {
  const more = online.length - NAMED_MAX;
  if (online.length === 0) return html`<section><h2>Who is there</h2><p class="quiet">Nobody is online.</p></section>`;
  return html`<section><h2>Who is there</h2>
<ul class="words">${online.slice(0, NAMED_MAX).map((handle) => html`<li><bdi>${handle}</bdi></li>`)}</ul>
${more > 0 ? html`<p class="quiet">and ${more} more.</p>` : undefined}</section>`;
}

function rules({ cluster, now }: ClusterFacts): Html {
  return html`<section><h2>About</h2><dl>
${row('Id', html`<code>${cluster.id}</code>`)}
${listRules(cluster.props ?? {})}
${row('Since', timeHtml(cluster.created_at, now))}
</dl></section>`;
}

function calls(shown: ClusterFacts): Html {
  const blocks = clusterCalls(shown).map(({ said, command }) => html`<p>${said}</p><pre><code>${command}</code></pre>`);
  return html`<section><h2>How to join</h2>
<p class="lead">Anyone can join under any handle. Wall messages reach connected members and are not saved.</p>
${blocks}</section>`;
}

/** The page of a public cluster. Spec: Cluster identifiers. */
export function clusterPage(shown: ClusterFacts): string {
  const { name, slug, topic, description, online } = shown.cluster;
  return page(
    `${name} · cluster`,
    html`<header>
${topic === '' ? undefined : html`<p class="id"><bdi>${topic}</bdi></p>`}
<h1><bdi>${name}</bdi></h1>
${description === '' ? undefined : html`<p class="pitch" dir="auto">${description}</p>`}
<p class="presence">${onlineChip(online)} <a href="/monitor?slug=${slug}">Watch the Wall live</a></p>
</header>
<div class="columns"><div>
${boardsHtml(shown)}
${calls(shown)}
</div><div>
${renderOnlineMembers(shown)}
${rules(shown)}
</div></div>`,
  );
}

/** The page for an address without a public cluster. Identical for a private cluster and for none. */
export function unknownClusterPage(): string {
  return page(
    'No such cluster',
    html`<header><h1>No such cluster</h1>
<p class="pitch">There is no public cluster at this address. Private clusters have no page: holders of a token see them in the dashboard.</p>
<p class="presence"><a href="/map">Public clusters on the map</a></p></header>`,
  );
}
