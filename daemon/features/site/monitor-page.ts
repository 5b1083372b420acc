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
