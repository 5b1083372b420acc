import { describe, expect, it } from 'vitest';
import type { MapPlace } from '../../contract/saved-clusters.js';
import type { PublicBoard } from '../boards/public-boards.js';
import { clusterCalls } from './cluster-calls.js';
import { clusterPage, unknownClusterPage } from './cluster-page.js';
import type { ClusterFacts, PublicCluster } from './cluster-site.js';
import { mapPage } from './map-page.js';
import { groupSpots } from './map-spots.js';
import { monitorListPage, monitorPage } from './monitor-page.js';
import { WORLD } from './world-outline.js';

/** 2026-11-21 12:00 UTC. */
const NOW = 1_795_262_400;
const SINCE = '<time datetime="2026-11-21T10:00:00.000Z" title="2026-11-21 10:00 UTC">2 hours ago</time>';

const aCluster = (given: Partial<PublicCluster> = {}) =>
  ({
    ...{ id: 'c_1', slug: 'town', name: 'Town', topic: '', description: '', online: 0, boards_enabled: true },
    ...{ created_at: NOW - 7200, props: {}, ...given },
  }) as PublicCluster;
const aBoard = (given: Partial<PublicBoard> = {}) =>
  ({
    ...{ id: 'b_1', slug: 'lost', name: 'Lost', about: '', props: {}, isAgeGated: false, posts: 0, newest: [] },
    ...given,
  }) as PublicBoard;
const aPost = (id: string) => ({ id, title: `The ${id}`, author: 'ada', created_at: NOW - 7200, expires_at: null });
const factsOf = (given: Partial<ClusterFacts> = {}): ClusterFacts => ({
  ...{ cluster: aCluster(), boards: [], online: [], origin: 'http://127.0.0.1:1', now: NOW, ...given },
});

const flat = (page: string) => page.replaceAll('\n', '');
/** The section with this heading, without line breaks. */
function section(page: string, heading: string): string | undefined {
  const start = `<section><h2>${heading}</h2>`;
  const found = flat(page).match(/<section>.*?<\/section>/g) ?? [];
  return found.find((one) => one.startsWith(start))?.slice(start.length, -'</section>'.length);
}
const header = (page: string) => /<header>(.*)<\/header>/.exec(flat(page))?.[1];
const chip = (count: number) => `<span class="chip ${count > 0 ? 'on' : 'off'}">${count} online</span>`;

describe('The page of a cluster', () => {
  it('begins with its name, topic and description, and how many are online', () => {
    const watch = '<a href="/monitor?slug=town">Watch the Wall live</a>';
    expect(header(clusterPage(factsOf()))).toBe(`<h1><bdi>Town</bdi></h1><p class="presence">${chip(0)} ${watch}</p>`);
    const cluster = aCluster({ topic: '#town', description: 'Where we meet.', online: 1 });
    const page = clusterPage(factsOf({ cluster }));
    expect(header(page)).toBe(
      '<p class="id"><bdi>#town</bdi></p><h1><bdi>Town</bdi></h1><p class="pitch" dir="auto">Where we meet.</p>' +
        `<p class="presence">${chip(1)} ${watch}</p>`,
    );
    expect(page).toContain('<title>Town · cluster</title>');
    expect(page.match(/<h2>[^<]*/g)).toEqual(
      ['Boards', 'How to join', 'Who is there', 'About'].map((heading) => `<h2>${heading}`),
    );
  });

  it.each([
    [true, '<p class="quiet">There are none yet.</p>'],
    [false, '<p class="quiet">This cluster has none.</p>'],
  ])('says why there is no board: enabled is %j', (boards_enabled, shown) => {
    expect(section(clusterPage(factsOf({ cluster: aCluster({ boards_enabled }) })), 'Boards')).toBe(shown);
  });

  it('shows its boards with their newest posts', () => {
    const post = (id: string) =>
      `<li><a href="/app/rooms/c_1/p/${id}?board=lost" dir="auto">The ${id}</a><small>by <bdi>ada</bdi>, ${SINCE}</small></li>`;
    const head = '<article><h3><bdi>Lost</bdi> <code>#lost</code></h3>';
    const shown = (board: Partial<PublicBoard>) => section(clusterPage(factsOf({ boards: [aBoard(board)] })), 'Boards');
    expect(shown({})).toBe(`${head}<p class="quiet">No posts.</p></article>`);
    const newest = [aPost('p_2'), aPost('p_1')];
    const list = `<ul class="posts">${post('p_2')}${post('p_1')}</ul>`;
    expect(shown({ about: 'What was lost.', newest, posts: 2 })).toBe(
      `${head}<p dir="auto">What was lost.</p>${list}</article>`,
    );
    expect(shown({ newest, posts: 3 })).toBe(`${head}${list}<p class="quiet">3 posts in all.</p></article>`);
  });

  it.each([
    [{ entry: { age_min: 21 } }, 21],
    [{ entry: {} }, 18],
    [{}, 18],
  ])('shows no posts of a board for adults: %j', (props, age) => {
    const boards = [aBoard({ isAgeGated: true, props, newest: [aPost('p_1')], posts: 1 })];
    expect(section(clusterPage(factsOf({ boards })), 'Boards')).toBe(
      '<article><h3><bdi>Lost</bdi> <code>#lost</code></h3><p class="quiet">Its posts are for people of ' +
        `${age} and older, and not shown here.</p></article>`,
    );
  });

  it('names two hundred of those who are online, and counts the others', () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
    const shown = (count: number) => section(clusterPage(factsOf({ online: names(count) })), 'Who is there');
    const list = `<ul class="words">${names(200)
      .map((name) => `<li><bdi>${name}</bdi></li>`)
      .join('')}</ul>`;
    expect(shown(0)).toBe('<p class="quiet">Nobody is online.</p>');
    expect(shown(1)).toBe('<ul class="words"><li><bdi>n0</bdi></li></ul>');
    expect(shown(200)).toBe(list);
    expect(shown(201)).toBe(`${list}<p class="quiet">and 1 more.</p>`);
  });

  it('shows of its rules only what there is, and of a place only the label', () => {
    const row = (label: string, value: string) => `<div><dt>${label}</dt><dd>${value}</dd></div>`;
    const shown = (props: PublicCluster['props']) =>
      section(clusterPage(factsOf({ cluster: aCluster({ props }) })), 'About');
    const [id, since] = [row('Id', '<code>c_1</code>'), row('Since', SINCE)];
    expect(shown({})).toBe(`<dl>${id}${since}</dl>`);
    expect(shown(undefined as never)).toBe(`<dl>${id}${since}</dl>`);
    expect(shown({ where: 'none', entry: { require: [] }, limits: {} })).toBe(
      `<dl>${id}${row('Where', 'Anywhere')}${since}</dl>`,
    );
    const full = {
      ...{ where: { lat: 52.5, lon: 13.4, label: 'Berlin' }, lang: 'de' },
      ...{ entry: { age_min: 16, require: ['kind', 'calm'] }, limits: { post_max_chars: 500 } },
    };
    expect(shown(full as PublicCluster['props'])).toBe(
      `<dl>${id}${row('Where', '<bdi>Berlin</bdi>')}${row('Language', 'de')}${row('Age', '16 and older')}` +
        row('Asks for', '<ul class="words"><li><bdi>kind</bdi></li><li><bdi>calm</bdi></li></ul>') +
        `${row('Post length', 'at most 500 characters')}${since}</dl>`,
    );
  });

  it('shows how to join', () => {
    const join = section(clusterPage(factsOf()), 'How to join');
    expect(join).toMatch(
      /^<p class="lead">Anyone can join under any handle. Wall messages reach connected members and are not saved.<\/p>/,
    );
    expect(join).toContain(
      '<p>Follow the Wall from a terminal, without being visible.</p><pre><code>meshd cluster watch town</code></pre><p>',
    );
    expect(join?.match(/<pre>/g)).toHaveLength(4);
  });

  it('of an address without one leads to the map', () => {
    const page = unknownClusterPage();
    expect(page).toContain('<title>No such cluster</title>');
    expect(header(page)).toBe(
      '<h1>No such cluster</h1><p class="pitch">There is no public cluster at this address. Private clusters have no ' +
        'page: holders of a token see them in the dashboard.</p><p class="presence"><a href="/map">Public clusters on ' +
        'the map</a></p>',
    );
  });
});

describe('The commands with which to take part', () => {
  const SAID = [
    { said: 'Follow the Wall from a terminal, without being visible.', command: 'meshd cluster watch town' },
    {
      said: 'Send a message to everyone connected.',
      command: "meshd cluster say town 'Good morning' --as YOUR_HANDLE",
    },
    {
      said: 'The WebSocket, for programs: a text frame is said to all.',
      command: 'ws://127.0.0.1:1/v1/clusters/c_1/ws?agent=YOUR_HANDLE',
    },
    { said: 'The cluster card, as JSON.', command: "curl -s 'http://127.0.0.1:1/v1/clusters/c_1'" },
  ];

  it('are four without a board', () => {
    expect(clusterCalls(factsOf())).toEqual(SAID);
    expect(clusterCalls(factsOf({ origin: 'https://mesh.example' }))[2]?.command).toMatch(/^wss:\/\/mesh\.example\/v1/);
  });

  it('pin on the first board', () => {
    expect(clusterCalls(factsOf({ boards: [aBoard(), aBoard({ slug: 'other' })] }))).toEqual([
      ...SAID,
      { said: 'The boards, with their rules.', command: "curl -s 'http://127.0.0.1:1/v1/clusters/c_1/boards'" },
      {
        said: 'Pin a post.',
        command:
          "curl -s -X POST 'http://127.0.0.1:1/v1/clusters/c_1/boards/lost/posts?agent=YOUR_HANDLE' \\\n  -H " +
          '\'Content-Type: application/json\' \\\n  -d \'{"title": "…", "body": "…", "ttl": "7d"}\'',
      },
    ]);
  });
});

describe('The monitor', () => {
  it('shows whose Wall it is before its script has connected', () => {
    const page = monitorPage(aCluster({ topic: '#town', online: 2 }));
    expect(page).toContain('<title>Town · live</title>');
    expect(page).toContain(
      '<link rel="stylesheet" href="/site.css">\n<script src="/monitor.js" defer></script>\n</head>',
    );
    expect(flat(page)).toContain(
      '<main><header><p class="id"><bdi>#town</bdi></p><h1><bdi>Town</bdi></h1><p class="presence"><span id="online">' +
        `${chip(2)}</span> <a href="/clusters/town">About this cluster</a></p></header>` +
        '<section id="wall" data-cluster="c_1"><h2>The Wall</h2><p class="quiet">You watch without being visible. Earlier ' +
        'messages are not saved, and only the last 200 lines are shown. Handles of private members are hidden.</p>' +
        '<p id="state" class="state" role="status">Connecting…</p><noscript><p>Your browser runs no scripts here, so ' +
        'nothing live can be shown. <code>meshd cluster watch town</code> shows the same in a terminal.</p></noscript>' +
        '<div id="lines" class="lines" role="log" aria-label="What is said"></div></section></main>',
    );
    expect(header(monitorPage(aCluster()))).toMatch(/^<h1>/);
  });

  it('lists the Walls that can be watched', () => {
    const shown = (...clusters: PublicCluster[]) =>
      /<section>(.*)<\/section>/.exec(flat(monitorListPage(clusters)))?.[1];
    expect(shown()).toBe(
      '<p class="quiet">There is no public cluster yet. <code>meshd cluster create</code> makes one.</p>',
    );
    expect(shown(aCluster(), aCluster({ slug: 'sea', name: 'Sea', topic: '#sea', online: 3 }))).toBe(
      `<ul class="posts"><li><a href="/monitor?slug=town"><bdi>Town</bdi></a>${chip(0)}</li>` +
        `<li><a href="/monitor?slug=sea"><bdi>Sea</bdi></a>${chip(3)} <small><bdi>#sea</bdi></small></li></ul>`,
    );
    const page = monitorListPage([]);
    expect(page).toContain('<title>Walls of public clusters</title>');
    expect(header(page)).toBe(
      '<h1>Walls of public clusters</h1><p class="pitch">Choose a cluster to watch what is said there. You watch without ' +
        'being visible.</p>',
    );
  });
});

describe('The map', () => {
  const at = (label: string, lat: number | null = null, lon: number | null = null) => ({ label, lat, lon });
  const ofCluster = (where: ReturnType<typeof at>, slug = 'town'): MapPlace => ({
    ...{ kind: 'cluster', cluster_id: 'c_1', slug, cluster: slug.toUpperCase(), ...where },
  });
  const ofPost = (where: ReturnType<typeof at>, title = 'A hat'): MapPlace => ({
    ...{ kind: 'post', cluster_id: 'c_1', slug: 'town', cluster: 'TOWN', post: 'p_1', board: 'lost', title, ...where },
  });
  const dataOf = (places: MapPlace[], truncated = false) => ({ places, count: places.length, truncated });
  const entry = (index: number, label: string, inner: string) =>
    `<article id="place-${index}"><h3 dir="auto">${label}</h3>${inner}</article>`;
  const post = (title: string) =>
    `<li><span dir="auto">${title}</span><small>on <code>#lost</code> of <a href="/clusters/town"><bdi>TOWN</bdi></a></small></li>`;
  const unknownPlace = '<p class="quiet">Not on the map: known by its name only.</p>';

  it('groups places by label and point, in the order in which they first appear', () => {
    const berlin = at('Berlin', 52.5, 13.4);
    const spots = groupSpots([
      ...[ofPost(berlin), ofCluster(berlin), ofCluster(at('Berlin', 44.5, 13.4)), ofCluster(at('Berlin', 52.5, 0))],
      ...[ofCluster(at('Ferry')), ofPost(at('Ferry')), ofCluster(at('Half', 1, null)), ofCluster(at('Half', null, 1))],
    ]);
    expect(spots.map(({ label, point, clusters, posts }) => [label, point, clusters.length, posts.length])).toEqual([
      ['Berlin', { lat: 52.5, lon: 13.4 }, 1, 1],
      ['Berlin', { lat: 44.5, lon: 13.4 }, 1, 0],
      ['Berlin', { lat: 52.5, lon: 0 }, 1, 0],
      ['Ferry', undefined, 1, 1],
      ['Half', undefined, 1, 0],
      ['Half', undefined, 1, 0],
    ]);
  });

  it('draws a dot for each point, larger for more, up to a limit, and none for a mere name', () => {
    const berlin = at('Berlin', 0, 0);
    const dots = (places: MapPlace[]) => flat(mapPage(dataOf(places))).match(/<a href="#place-.*?<\/circle><\/a>/g);
    const dot = (radius: number, said: string, kind = 'dot') =>
      `<a href="#place-0" tabindex="-1"><circle class="${kind}" cx="1000" cy="487" r="${radius}"><title>Berlin: ${said}` +
      '</title></circle></a>';
    expect(dots([ofCluster(at('Ferry'))])).toBeNull();
    expect(dots([ofCluster(berlin)])).toEqual([dot(9, '1 cluster')]);
    expect(dots([ofPost(berlin)])).toEqual([dot(9, '1 post', 'dot only-posts')]);
    const both = [ofCluster(berlin), ofCluster(berlin), ofPost(berlin), ofPost(berlin)];
    expect(dots(both)).toEqual([dot(15, '2 clusters, 2 posts')]);
    expect(dots(Array.from({ length: 1_000 }, () => ofPost(berlin)))).toEqual([
      dot(34, '1000 posts', 'dot only-posts'),
    ]);
  });

  it('lists the same places, with up to three posts unfolded', () => {
    const list = (...places: MapPlace[]) => section(mapPage(dataOf(places)), 'Places');
    const berlin = at('Berlin', 52.5, 13.4);
    expect(list(ofCluster(berlin), ofCluster(berlin, 'sea'), ofPost(at('Ferry')))).toBe(
      '<div class="places">' +
        entry(
          0,
          'Berlin',
          '<ul class="posts"><li><a href="/clusters/town"><bdi>TOWN</bdi></a></li>' +
            '<li><a href="/clusters/sea"><bdi>SEA</bdi></a></li></ul>',
        ) +
        entry(1, 'Ferry', `${unknownPlace}<ul class="posts">${post('A hat')}</ul>`) +
        '</div>',
    );
    const posts = (count: number) => Array.from({ length: count }, (_, n) => ofPost(berlin, `Hat ${n}`));
    const inner = (count: number) =>
      `<ul class="posts">${posts(count)
        .map(({ title = '' }) => post(title))
        .join('')}</ul>`;
    expect(list(...posts(3))).toBe(`<div class="places">${entry(0, 'Berlin', inner(3))}</div>`);
    expect(list(...posts(4))).toBe(
      `<div class="places">${entry(0, 'Berlin', `<details><summary>4 posts</summary>${inner(4)}</details>`)}</div>`,
    );
  });

  it('says when it is empty and when there are more places', () => {
    expect(section(mapPage(dataOf([])), 'Places')).toBe(
      '<p class="quiet">No public cluster or post has a location.</p>',
    );
    expect(section(mapPage(dataOf([ofCluster(at('Ferry')), ofPost(at('Ferry'))], true)), 'Places')).toMatch(
      /<\/div><p class="quiet">There are more: the 2 shown are the newest clusters and posts\.<\/p>$/,
    );
  });

  it('is hidden from readers and the keyboard, which have the list', () => {
    const page = mapPage(dataOf([]));
    expect(page).toContain('<title>Map of public clusters</title>');
    expect(header(page)).toBe(
      '<h1>Map of public clusters</h1><p class="pitch">Places of public clusters and their posts, as their creators set ' +
        'them. Private clusters are not shown.</p>',
    );
    const drawing = /<svg.*<\/svg>/.exec(flat(page))?.[0];
    // Compared as booleans, since a diff of thousands of steps is unreadable.
    expect(
      drawing ===
        `<svg class="world" viewBox="0 0 2000 974" aria-hidden="true"><path class="sea" d="${WORLD.sphere}"/>` +
          `<path class="land" d="${WORLD.land}"/></svg>`,
    ).toBe(true);
  });
});
