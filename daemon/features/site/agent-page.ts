import type { CardSkill } from '../../contract/network/card.js';
import { DIMENSIONS, type Reputation as Standing } from '../../contract/network/reputation.js';
import type { PricingRow } from '../../contract/team.js';
import { listCalls } from './call-format.js';
import { type Html, html } from './html.js';
import { formatPrice } from './page-format.js';
import { page } from './page-shell.js';
import { timeHtml } from './page-time.js';
import type { AgentFacts } from './site.js';

const list = (words: readonly string[] | undefined, label: string) =>
  words === undefined || words.length === 0
    ? undefined
    : html`<div><dt>${label}</dt><dd><ul class="words">${words.map((word) => html`<li><bdi>${word}</bdi></li>`)}</ul></dd></div>`;

function presence({ agent, now }: AgentFacts): Html {
  const seen = agent.last_seen === null ? html`never seen` : html`last seen ${timeHtml(agent.last_seen, now)}`;
  return agent.online
    ? html`<p class="presence"><span class="chip on">Online</span> ${seen}</p>`
    : html`<p class="presence"><span class="chip off">Offline</span> ${seen}</p>`;
}

function facts({ agent, now }: AgentFacts): Html {
  const { card, endpoint, registered_at } = agent;
  const rows = [
    endpoint === undefined ? undefined : html`<div><dt>Endpoint</dt><dd><code><bdi>${endpoint}</bdi></code></dd></div>`,
    card?.category === undefined ? undefined : html`<div><dt>Category</dt><dd><bdi>${card.category}</bdi></dd></div>`,
    list(card?.tags, 'Tags'),
    list(card?.protocols, 'Protocols'),
    list(card?.accepts, 'Takes'),
    list(card?.produces, 'Gives'),
    registered_at === null
      ? undefined
      : html`<div><dt>Registered</dt><dd>${timeHtml(registered_at, now)}${agent.verified ? ', verified' : ''}</dd></div>`,
  ];
  return html`<section><h2>About</h2><dl>${rows}</dl></section>`;
}

function price({ agent, card }: AgentFacts): Html {
  const rows = [card?.pricing ?? agent.card?.pricing ?? []].flat() as PricingRow[];
  if (rows.length === 0) return html`<section><h2>Price</h2><p class="quiet">It names no price.</p></section>`;
  const isPaid = rows.some(({ amount }) => amount > 0);
  return html`<section><h2>Price</h2>
<ul class="prices">${rows.map((row) => html`<li><bdi>${formatPrice(row)}</bdi></li>`)}</ul>
${isPaid ? html`<p class="quiet">A tariff hint: agents settle with each other directly.</p>` : undefined}</section>`;
}

/** Shares from 0 to 1, as in the API and the dashboard. */
const formatShare = (share: number) => share.toFixed(2);

function reputation(agentId: string, { score, dims, reports }: Standing): Html {
  if (score === null)
    return html`<section><h2>Reputation</h2><p class="quiet">Not yet rated: nobody has filed a report.</p></section>`;
  const rows = DIMENSIONS.map((name) => {
    const share = dims[name];
    return share === undefined
      ? undefined
      : html`<div><dt>${name}</dt><dd><meter min="0" max="1" value="${share}">${formatShare(share)}</meter> ${formatShare(share)}</dd></div>`;
  });
  const log = `/v1/reputation/${encodeURIComponent(agentId)}/reports`;
  return html`<section><h2>Reputation</h2>
<p class="score"><strong>${formatShare(score)}</strong> of 1 from <strong>${reports}</strong> signed report${reports === 1 ? '' : 's'}</p>
<dl class="dims">${rows}</dl>
<p class="quiet"><a href="${log}">The signed log</a>, with the rule that makes the score of it.</p></section>`;
}

const skillHtml = ({
  id,
  name,
  description,
  examples,
}: Pick<CardSkill, 'id' | 'name' | 'description' | 'examples'>) => html`<article>
<h3><bdi>${name}</bdi> <code><bdi>${id}</bdi></code></h3>
<p dir="auto">${description}</p>
${examples.length === 0 ? undefined : html`<ul class="examples">${examples.map((example) => html`<li><code><bdi>${example}</bdi></code></li>`)}</ul>`}
</article>`;

function skills({ agent, card }: AgentFacts): Html {
  const own = `/agent/${encodeURIComponent(agent.agent_id)}/.well-known/agent.json`;
  const said = card
    ? card.skills.map(skillHtml)
    : agent.endpoint === undefined
      ? html`<p class="quiet">It has no endpoint, so there is no card with its skills.</p>`
      : html`<p>They are in <a href="${own}" rel="noopener noreferrer nofollow">its own public card</a>, which it serves itself.</p>`;
  return html`<section><h2>Skills</h2>${said}</section>`;
}

function calls(shown: AgentFacts): Html {
  const blocks = listCalls(shown).map(({ said, command }) => html`<p>${said}</p><pre><code>${command}</code></pre>`);
  return html`<section><h2>How to call it</h2>${blocks}</section>`;
}

/** The landing page of a registered agent. Spec: What the service does, 5. */
export function agentPage(shown: AgentFacts): string {
  const { agent, card, standing: evidence } = shown;
  const name = card?.name ?? agent.agent_id;
  const pitch = agent.description ?? card?.description;
  return page(
    `${name} · agent`,
    html`<header>
${name === agent.agent_id ? undefined : html`<p class="id"><code><bdi>${agent.agent_id}</bdi></code></p>`}
<h1><bdi>${name}</bdi></h1>
${pitch === undefined || pitch === '' ? undefined : html`<p class="pitch" dir="auto">${pitch}</p>`}
${presence(shown)}
</header>
<div class="columns"><div>
${skills(shown)}
${calls(shown)}
</div><div>
${price(shown)}
${reputation(agent.agent_id, evidence)}
${facts(shown)}
</div></div>`,
  );
}

/** The page for an id that is not registered. */
export function unknownAgentPage(agentId: string): string {
  return page(
    'No such agent',
    html`<header><h1>No such agent</h1>
<p class="pitch">Nobody is registered as <code><bdi>${agentId}</bdi></code>. Agents that were deregistered leave this address free.</p></header>`,
  );
}
