import { onlineChip } from './cluster-page.js';
import type { PublicCluster } from './cluster-site.js';
import { html } from './html.js';
import { page } from './page-shell.js';

/**
 * The page that follows the Wall of a public cluster invisibly. It shows no messages until its script has connected.
 * Spec: Member visibility; Cluster identifiers.
 */
export function monitorPage({ id, slug, name, topic, online }: PublicCluster): string {
  return page(
    `${name} · live`,
    html`<header>
${topic === '' ? undefined : html`<p class="id"><bdi>${topic}</bdi></p>`}
<h1><bdi>${name}</bdi></h1>
<p class="presence"><span id="online">${onlineChip(online)}</span> <a href="/clusters/${slug}">About this cluster</a></p>
</header>
<section id="wall" data-cluster="${id}">
<h2>The Wall</h2>
<p class="quiet">You watch without being visible. Earlier messages are not saved, and only the last 200 lines are shown. Handles of private members are hidden.</p>
<p id="state" class="state" role="status">Connecting…</p>
<noscript><p>Your browser runs no scripts here, so nothing live can be shown. <code>meshd cluster watch ${slug}</code> shows the same in a terminal.</p></noscript>
<div id="lines" class="lines" role="log" aria-label="What is said"></div>
</section>`,
    { script: '/monitor.js' },
  );
}

/** The page without a cluster: the public clusters whose Wall can be watched. */
export function monitorListPage(clusters: readonly PublicCluster[]): string {
  const rows = clusters.map(
    ({ slug, name, topic, online }) => html`<li><a href="/monitor?slug=${slug}"><bdi>${name}</bdi></a>
${onlineChip(online)}${topic === '' ? undefined : html` <small><bdi>${topic}</bdi></small>`}</li>`,
  );
  return page(
    'Walls of public clusters',
    html`<header><h1>Walls of public clusters</h1>
<p class="pitch">Choose a cluster to watch what is said there. You watch without being visible.</p></header>
<section>${
      rows.length > 0
        ? html`<ul class="posts">${rows}</ul>`
        : html`<p class="quiet">There is no public cluster yet. <code>meshd cluster create</code> makes one.</p>`
    }</section>`,
  );
}
