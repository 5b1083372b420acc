import type { Access } from '../http/callers/access.js';

/**
 * Every route and who may call it. A route without a row fails the check, so that its access is decided when it is
 * added.
 */
export const POLICY: Record<string, Access> = {
  'GET /': 'page',
  'GET /agents': 'public',
  'GET /agents/': 'public',
  'GET /agents/:agent_id': 'public',
  'GET /agents/channels': 'bearer',
  'POST /agents/channels': 'bearer',
  'POST /agents/channels/:id/join': 'bearer',
  'POST /agents/channels/:id/leave': 'bearer',
  'POST /agents/channels/:id/send': 'bearer',
  'GET /agents/contacts': 'bearer',
  'PUT /agents/contacts/:agent_id': 'bearer',
  'DELETE /agents/contacts/:agent_id': 'bearer',
  'DELETE /agents/me': 'bearer',
  'PATCH /agents/me': 'bearer',
  'POST /agents/me/state': 'bearer',
  'GET /agents/messages': 'bearer',
  'POST /agents/messages': 'bearer',
  'GET /agents/messages/:peer/history': 'bearer',
  'POST /agents/messages/ack': 'bearer',
  'POST /agents/register': 'public',
  'POST /agents/token': 'public',
  'GET /agents/ws': 'bearer',
  'GET /app': 'page',
  'POST /chain': 'public',
  'GET /approvals': 'operator',
  'GET /calls': 'operator',
  'POST /calls': 'operator',
  'GET /calls/:id': 'operator',
  'GET /ledger': 'operator',
  'POST /ledger/approvals/:call_id': 'operator',
  'PATCH /ledger/caps': 'operator',
  'GET /ledger/export.csv': 'operator',
  'POST /ledger/settle': 'operator',
  'GET /clients': 'operator',
  'GET /conversations': 'operator',
  'POST /conversations': 'operator',
  'GET /conversations/:conv': 'operator',
  'PATCH /conversations/:conv': 'operator',
  'DELETE /conversations/:conv': 'operator',
  'GET /conversations/:conv/messages': 'operator',
  'POST /conversations/:conv/messages': 'operator',
  'DELETE /conversations/:conv/messages/:msg': 'operator',
  'DELETE /conversations/:conv/queue': 'operator',
  'POST /conversations/:conv/cancel': 'operator',
  'POST /conversations/:conv/permissions/:pid': 'operator',
  'GET /conversations/:conv/export': 'operator',
  'GET /database': 'operator',
  'GET /docs': 'page',
  'GET /docs.css': 'public',
  'GET /doctor': 'operator',
  'GET /foreign-state': 'operator',
  'GET /other-users': 'operator',
  'GET /events': 'operator',
  'GET /exports/:id': 'operator',
  'POST /exports': 'operator',
  'GET /health': 'public',
  'GET /history': 'operator',
  'GET /imports': 'operator',
  'POST /imports': 'operator',
  'GET /imports/drift': 'operator',
  'GET /imports/:id/drift': 'operator',
  'POST /imports/:id/drift': 'operator',
  'GET /licenses': 'operator',
  'GET /logs': 'operator',
  'GET /mcp': 'bearer',
  'POST /mcp': 'bearer',
  'DELETE /mcp': 'bearer',
  'GET /openapi.json': 'public',
  'GET /permissions': 'operator',
  'GET /permissions/rules': 'operator',
  'DELETE /permissions/rules/:rule': 'operator',
  'GET /preferences': 'operator',
  'PATCH /preferences': 'operator',
  'GET /project/code': 'operator',
  'GET /project/file': 'operator',
  'GET /project/files': 'operator',
  'GET /project/names': 'operator',
  'GET /projects': 'operator',
  'POST /receipts/verify': 'public',
  'GET /registrations': 'operator',
  'GET /requests': 'operator',
  'GET /usage': 'operator',
  'GET /requests/:rid': 'operator',
  'GET /requests/refused': 'operator',
  'GET /requests/:rid/trace': 'operator',
  'DELETE /requests/:rid': 'operator',
  'POST /requests/:rid/test': 'operator',
  'PUT /requests/:rid/rating': 'operator',
  'DELETE /requests/:rid/rating': 'operator',
  'GET /rooms': 'operator',
  'POST /rooms': 'operator',
  'GET /rooms/:id': 'operator',
  'PATCH /rooms/:id': 'operator',
  'DELETE /rooms/:id': 'operator',
  'POST /rooms/:id/read': 'operator',
  'GET /roadmap': 'operator',
  'PATCH /roadmap/:task': 'operator',
  'POST /roadmap/run': 'operator',
  'POST /roadmap/stop': 'operator',
  'GET /roadmap/checks': 'operator',
  'PUT /roadmap/checks/:name': 'operator',
  'DELETE /roadmap/checks/:name': 'operator',
  'GET /support-bundle': 'operator',
  'GET /team': 'operator',
  'POST /team': 'operator',
  'PATCH /team': 'operator',
  'DELETE /team': 'operator',
  'GET /team/:id': 'operator',
  'PATCH /team/:id': 'operator',
  'DELETE /team/:id': 'operator',
  'GET /team/:id/.well-known/agent-card.json': 'card',
  'GET /team/:id/.well-known/agent.json': 'card',
  'POST /team/:id': 'bearer',
  'POST /team/:id/a2a': 'bearer',
  'GET /team/:id/a2a/*': 'bearer',
  'POST /team/:id/a2a/*': 'bearer',
  'DELETE /team/:id/a2a/*': 'bearer',
  'POST /team/:id/ask': 'bearer',
  'GET /team/:id/file': 'operator',
  'GET /team/:id/history': 'operator',
  'GET /team/:id/history/:commit': 'operator',
  'PUT /team/:id/file': 'operator',
  'GET /team/:id/health': 'public',
  'GET /turns/mcp': 'bearer',
  'POST /turns/mcp': 'bearer',
  'DELETE /turns/mcp': 'bearer',
  'GET /team/:id/mcp': 'bearer',
  'POST /team/:id/mcp': 'bearer',
  'DELETE /team/:id/mcp': 'bearer',
  'POST /team/:id/restore': 'operator',
  'GET /team/:id/tests': 'operator',
  'PUT /team/:id/tests': 'operator',
  'POST /team/:id/tests/run': 'operator',
  'POST /team/:id/tests/cancel': 'operator',
  'POST /team/:id/token/rotate': 'operator',
  'POST /team/:id/expose': 'operator',
  'POST /team/:id/keep-internal': 'operator',
  'GET /team/:id/about': 'public',
  'GET /team/:id/openapi.yaml': 'public',
  'POST /team/:id/tasks/send': 'public',
  'GET /team/:id/tasks/:task': 'bearer',
  'POST /team/:id/v1/:skill': 'public',
  'GET /team/:id/v1/balance': 'public',
  'POST /team/:id/v1/topup': 'public',
  'POST /team/draft': 'operator',
  'GET /team/requests/:rid': 'bearer',
  'DELETE /team/requests/:rid': 'bearer',
  'GET /tests': 'operator',
  'GET /versions': 'operator',
  'GET /v1/agents': 'public',
  'POST /v1/agents/:agent_id/feedback': 'public',
  'GET /v1/agents/:agent_id': 'public',
  'DELETE /v1/agents/me': 'bearer',
  'PATCH /v1/agents/me': 'bearer',
  'POST /v1/agents/me/heartbeat': 'bearer',
  'PUT /v1/agents/me/key': 'bearer',
  'POST /v1/agents/me/state': 'bearer',
  'POST /v1/agents/register': 'public',
  'POST /v1/agents/token': 'public',
  'POST /v1/catalog': 'operator',
  'GET /v1/clusters': 'public',
  'POST /v1/clusters': 'public',
  'GET /v1/clusters/:id': 'public',
  'PATCH /v1/clusters/:id': 'bearer',
  'DELETE /v1/clusters/:id': 'bearer',
  'GET /v1/clusters/:id/boards': 'public',
  'POST /v1/clusters/:id/boards': 'bearer',
  'GET /v1/clusters/:id/boards/:bid': 'public',
  'PATCH /v1/clusters/:id/boards/:bid': 'bearer',
  'DELETE /v1/clusters/:id/boards/:bid': 'bearer',
  'GET /v1/clusters/:id/boards/:bid/posts': 'public',
  'POST /v1/clusters/:id/boards/:bid/posts': 'public',
  'GET /v1/clusters/:id/boards/:bid/posts/:pid': 'public',
  'DELETE /v1/clusters/:id/boards/:bid/posts/:pid': 'public',
  'GET /v1/clusters/:id/history': 'bearer',
  'GET /v1/clusters/:id/ws': 'public',
  'POST /v1/feedback': 'public',
  'GET /v1/map': 'public',
  'GET /v1/reputation/:agent_id': 'public',
  'GET /v1/reputation/:agent_id/reports': 'public',
  'GET /v1/search': 'public',
  'POST /v1/search': 'public',
  'GET /agent/:id': 'page',
  'GET /agent/:id/.well-known/agent.json': 'card',
  'GET /agent/:id/tier2': 'operator',
  'GET /clusters/:slug': 'page',
  'GET /map': 'page',
  'GET /monitor': 'page',
  'GET /monitor.js': 'public',
  'GET /site.css': 'public',
  'GET /.well-known/ai-catalog.json': 'public',
  'GET /wallets': 'operator',
  'POST /wallets': 'operator',
  'POST /wallets/:name/fund': 'operator',
  'POST /wallets/:name/pay': 'operator',
  'GET /ws': 'bearer',
};

/**
 * Routes that are open to paying callers and otherwise require the bearer token, which they check before they read the
 * body.
 */
export const PAID_OR_BEARER: readonly string[] = ['POST /team/:id/v1/:skill', 'POST /team/:id/tasks/send'];

/**
 * The status of an upgrade request by a local program without a credential. Any other route is not a socket and
 * responds with 404.
 */
export const OPEN_SOCKETS: Record<string, number> = {
  '/events': 101,
  '/agents/ws': 401,
  '/ws': 401,
  '/v1/clusters/:id/ws': 401,
};

/** Returns a route's path with its parameters filled in. */
export const fillRoute = (url: string) =>
  url.replace(':id', 'consultant').replace(':rid', 'req-aaaaaaaaaaaaaaaa').replace(':skill', 'ask');

type HeaderSet = [name: string, host: string[], more: string[], status: number];

/** Header sets with a wrong, missing or repeated host. */
function hostSets(port: number): HeaderSet[] {
  const own = `127.0.0.1:${port}`;
  const wrongHosts = [
    `evil.example:${port}`,
    `127.0.0.1.evil.com:${port}`,
    `localhost.:${port}`,
    `x.localhost:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `[::1]:${port}`,
    `localhost:${port}@evil.com`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    '[::1',
    '',
  ];
  return [
    ...wrongHosts.map((host): HeaderSet => [`Host ${host}`, [`Host: ${host}`], [], 421]),
    // A document would be redirected.
    ...['localhost', 'LOCALHOST'].map(
      (name): HeaderSet => [
        `Host ${name} of a script`,
        [`Host: ${name}:${port}`],
        ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'],
        421,
      ],
    ),
    ['X-Forwarded-Host', [`Host: evil.example:${port}`], [`X-Forwarded-Host: ${own}`], 421],
    ['two Hosts', [`Host: ${own}`, `Host: ${own}`], [], 400],
    ['no Host', [], [], 400],
  ];
}

/** Header sets of pages with a foreign origin, or with two. */
function originSets(port: number): HeaderSet[] {
  const own = `127.0.0.1:${port}`;
  const origins = [
    'https://evil.example',
    'null',
    'http://localhost:5173',
    `http://localhost:${port}`,
    `http://[::1]:${port}`,
    `http://127.0.0.1:${port + 1}`,
    `https://${own}`,
    'http://[',
  ];
  return [
    ...origins.map((origin): HeaderSet => [`Origin ${origin}`, [`Host: ${own}`], [`Origin: ${origin}`], 403]),
    ['two Origins', [`Host: ${own}`], [`Origin: http://${own}`, `Origin: http://${own}`], 400],
  ];
}

/** Header sets of requests that a browser marks as those of another site. */
function fetchSets(port: number): HeaderSet[] {
  const own = `127.0.0.1:${port}`;
  return [
    [
      'cross-site fetch',
      [`Host: ${own}`],
      ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: empty'],
      403,
    ],
    [
      'same-site fetch',
      [`Host: ${own}`],
      ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'],
      403,
    ],
    [
      'framed',
      [`Host: ${own}`],
      ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'],
      403,
    ],
  ];
}

/** Returns header sets of foreign pages and host names, with the status that every route must return for each. */
export const foreignSets = (port: number): HeaderSet[] => [...hostSets(port), ...originSets(port), ...fetchSets(port)];
