import { HttpClient } from './http-client.js';
import { expectLike, holding, integer, list, matching, refusal, type Scenario, text } from './scenario.js';

const MEMBER = '/team/consultant';

/** A client with the bearer of an exposed member. */
async function caller(url: string): Promise<HttpClient> {
  const { token } = await new HttpClient(url).expect(200, 'GET', MEMBER, {}, { token: matching(/^mk_[\w-]{43}$/) });
  return new HttpClient(url, token);
}

const QUESTION = 'On which port does the lamp listen?';

/** Creates an exposed member with a priced skill `ask`, and returns the path of its agent. */
async function pricedMember(url: string, id: string): Promise<string> {
  const pricing = [{ unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' }];
  const payment = { modes: ['x402', 'deposit'], deposit: { min_lamports: 50_000, credit_unit: 'request' } };
  const body = { id, name: id, body: 'Answers about the lamp.', exposure: 'external', pricing, payment };
  await new HttpClient(url).expect(201, 'POST', '/team', { body });
  return `/team/${id}`;
}

export const AGENT_INTERFACE: readonly Scenario[] = [
  {
    title: 'GET /.well-known/agent.json is mandatory: the required fields, with Access-Control-Allow-Origin: *',
    async check({ url }) {
      const { status, headers, body } = await new HttpClient(url).send('GET', `${MEMBER}/.well-known/agent.json`);
      const card = {
        name: text,
        url: matching(/^http/),
        version: text,
        description: text,
        defaultInputModes: list,
        defaultOutputModes: list,
        protocols: list,
        availability: { now: true },
        skills: holding({ id: matching(/^[a-z0-9]+(-[a-z0-9]+)*$/), name: text, description: text, examples: list }),
      };
      expectLike('the card', { status, body }, { status: 200, body: card });
      const sent = [headers.get('access-control-allow-origin'), headers.get('cache-control'), headers.get('etag')];
      expectLike('the headers', sent, ['*', matching(/max-age/), text]);
    },
  },
  {
    title: 'A card of an internal member is 404 like that of an unknown one',
    async check({ url }) {
      const [internal, unknown] = await Promise.all(
        ['deployer', 'nobody'].map((id) => new HttpClient(url).send('GET', `/team/${id}/.well-known/agent.json`)),
      );
      expectLike('the card', internal, { status: 404, body: refusal('not_found') });
      expectLike('the other card', unknown?.body, internal?.body);
    },
  },
  {
    title: 'GET /health: {ok, agent_id, upstream_ready}',
    async check({ url }) {
      const like = { ok: true, agent_id: text, upstream_ready: true };
      await new HttpClient(url).expect(200, 'GET', `${MEMBER}/health`, {}, like);
    },
  },
  {
    title: 'POST /v1/<skill-id> is JSON in and JSON out; ask takes text, prompt or query',
    async check({ url }) {
      const http = await caller(url);
      for (const name of ['text', 'prompt', 'query']) {
        const like = { request_id: matching(/^req-/), result_text: matching(/8123/), citations: list, client: text };
        await http.expect(200, 'POST', `${MEMBER}/v1/ask`, { body: { [name]: QUESTION } }, like);
      }
    },
  },
  {
    title: 'An unpriced skill needs the bearer of the member: 401',
    async check({ url }) {
      const body = { text: QUESTION };
      await new HttpClient(url).expect(401, 'POST', `${MEMBER}/v1/ask`, { body }, refusal('unauthorized'));
    },
  },
  {
    title: 'POST /team/<id>/ask is answered 202, and GET /team/requests/<rid> is polled until it is done',
    async check({ url }) {
      const http = await caller(url);
      const accepted = { request_id: matching(/^req-/), conv: matching(/^conv-/), status: text, poll: text };
      const { request_id } = await http.expect(202, 'POST', `${MEMBER}/ask`, { body: { text: QUESTION } }, accepted);
      const citations = holding({ path: 'README.md', start_line: integer, end_line: integer, status: 'checked' });
      const like = { request_id, member: 'consultant', status: 'done', result_text: matching(/8123/), citations };
      await http.expect(200, 'GET', `/team/requests/${request_id}?wait=30`, {}, like);
    },
  },
  {
    title: 'An ask without the bearer is 401, the same for an unknown, an internal and an exposed member',
    async check({ url }) {
      const http = new HttpClient(url);
      const answers = await Promise.all(
        ['consultant', 'deployer', 'nobody'].map((id) => http.send('POST', `/team/${id}/ask`, { body: { text: 'x' } })),
      );
      for (const { status, body } of answers)
        expectLike('the answer', { status, body }, { status: 401, body: answers[0]?.body });
    },
  },
  {
    title: 'POST /tasks/send and GET /tasks/<id> answer the older task shape',
    async check({ url }) {
      const http = await caller(url);
      const message = { role: 'user', parts: [{ type: 'text', text: QUESTION }] };
      const task = { id: text, status: { state: text } };
      const sent = await http.expect(200, 'POST', `${MEMBER}/tasks/send`, { body: { id: 'older-1', message } }, task);
      await http.expect(200, 'GET', `${MEMBER}/tasks/${sent.id}`, {}, { id: sent.id, status: { state: text } });
    },
  },
  {
    title: 'Unpaid call returns 402 with {x402Version, accepts: [{scheme, network, address, ...}], chainPayUrl, nonce}',
    async check({ url }) {
      const path = await pricedMember(url, 'teller');
      const row = { scheme: 'exact', network: text, address: text, amount: 5_000, currency: 'lamports', nonce: text };
      const like = { x402Version: integer, accepts: [{ ...row, expiresAt: integer }], chainPayUrl: text, nonce: text };
      const body = { text: QUESTION };
      const first = await new HttpClient(url).expect(402, 'POST', `${path}/v1/ask`, { body }, like);
      expectLike('the nonce of the row', first.accepts[0].nonce, first.nonce);
      const second = await new HttpClient(url).expect(402, 'POST', `${path}/v1/ask`, { body }, like);
      expectLike('the nonce is single use', second.nonce === first.nonce, false);
    },
  },
  {
    title: 'The public card declares pricing rows with network, and payment with modes, network, wallet and deposit',
    async check({ url }) {
      const path = await pricedMember(url, 'cashier');
      const pricing = [{ unit: 'request', amount: 5_000, currency: 'lamports', network: text }];
      const deposit = { min_lamports: 50_000, credit_unit: 'request' };
      const payment = { modes: ['x402', 'deposit'], network: text, wallet: matching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/) };
      const like = { pricing, payment: { ...payment, deposit } };
      await new HttpClient(url).expect(200, 'GET', `${path}/.well-known/agent.json`, {}, like);
    },
  },
  {
    title: 'POST /v1/topup answers {api_key (prefix tk_), chainPayUrl}; a fresh GET /v1/balance is {lamports: 0}',
    async check({ url }) {
      const path = await pricedMember(url, 'banker');
      const http = new HttpClient(url);
      const like = { api_key: matching(/^tk_[\w-]{43}$/), chainPayUrl: text, memo: text };
      const made = await http.expect(200, 'POST', `${path}/v1/topup`, { body: { amount_lamports: 50_000 } }, like);
      expectLike('the payment memo equals the api_key', made.memo, made.api_key);
      const headers = { 'x-api-key': made.api_key };
      await http.expect(200, 'GET', `${path}/v1/balance`, { headers }, { lamports: 0 });
      await http.expect(401, 'GET', `${path}/v1/balance`, { headers: { 'x-api-key': `tk_${'a'.repeat(43)}` } });
    },
  },
  {
    title: 'A proof in another dialect is 400 proof_format',
    async check({ url }) {
      const path = await pricedMember(url, 'clerk');
      const headers = { 'x-payment-proof': 'not a signature', 'x-payment-nonce': 'none' };
      const extras = { body: { text: QUESTION }, headers };
      await new HttpClient(url).expect(400, 'POST', `${path}/v1/ask`, extras, refusal('proof_format'));
    },
  },
  {
    title: 'A plain GET of /events is 426 upgrade_required with the usual body',
    async check({ url }) {
      await new HttpClient(url).expect(426, 'GET', '/events', {}, refusal('upgrade_required'));
    },
  },
];
