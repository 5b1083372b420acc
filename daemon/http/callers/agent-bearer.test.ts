import { describe, expect, it } from 'vitest';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';
import { AgentBearers } from './agent-bearer.js';

const claimsOf = (agent_id: string): AgentClaims => ({ agent_id, rid: `${agent_id}-1`, jti: 'j', exp: 1 });

/** A surface that has verified the token `seen` before, that verifies `new`, and that refuses every other token. */
function bearers() {
  const verified: string[] = [];
  const agents = new AgentBearers({
    recognize: (token) => (token === 'seen' ? claimsOf('known-agent') : undefined),
    async authenticate(token) {
      verified.push(token);
      if (token === 'seen' || token === 'new') return claimsOf(`agent-of-${token}`);
      throw new MeshError('unauthorized', 'That is no token of this surface.');
    },
  });
  return { agents, verified };
}

const request = (authorization?: string, query: object = {}) =>
  ({ headers: authorization === undefined ? {} : { authorization }, query }) as unknown as AnyRequest;

const NOT_VALID = expect.objectContaining({
  code: 'unauthorized',
  message: 'Send "Authorization: Bearer <token>" with a token that is valid here.',
});
const DIFFERENT = expect.objectContaining({
  code: 'unauthorized',
  message: 'Send one token: the header and the query carry different ones.',
});

describe('a route for agents', () => {
  /** Runs the hook of the route and returns what it passed on. */
  const hook = (agents: AgentBearers, asking: AnyRequest) =>
    new Promise<Error | undefined>((resolve) => agents.route.onRequest(asking, {}, resolve));

  it('declares that it takes the token of an agent', () => {
    expect(bearers().agents.route.config).toEqual({ access: 'bearer', credential: 'agentToken' });
  });

  it('lets a token that was verified before pass at once, without verifying it again', () => {
    const { agents, verified } = bearers();
    const asking = request('Bearer seen');
    const passed: unknown[][] = [];
    agents.route.onRequest(asking, {}, (...given) => passed.push(given));
    expect([passed, verified]).toEqual([[[]], []]);
    expect(agents.getCaller(asking)).toEqual(claimsOf('known-agent'));
  });

  it('verifies any other token before it passes', async () => {
    const { agents, verified } = bearers();
    const asking = request('Bearer new');
    expect(await hook(agents, asking)).toBeUndefined();
    expect(verified).toEqual(['new']);
    expect(agents.getCaller(asking)).toEqual(claimsOf('agent-of-new'));
  });

  it('passes on why a token is refused, and knows no caller then', async () => {
    const { agents } = bearers();
    const asking = request('Bearer wrong');
    expect(await hook(agents, asking)).toMatchObject({ message: 'That is no token of this surface.' });
    expect(() => agents.getCaller(asking)).toThrow(NOT_VALID);
  });

  it('refuses a request without a token and verifies nothing', async () => {
    const { agents, verified } = bearers();
    // The token of an upgrade is no token of a plain request.
    for (const asking of [request(), request('Basic seen'), request(undefined, { token: 'seen' })])
      await expect(hook(agents, asking)).rejects.toThrow(NOT_VALID);
    expect(verified).toEqual([]);
  });

  it('knows the caller of a request only by that request', () => {
    const { agents } = bearers();
    agents.route.onRequest(request('Bearer seen'), {}, () => undefined);
    expect(() => agents.getCaller(request('Bearer seen'))).toThrow(NOT_VALID);
  });
});

describe('an upgrade of an agent', () => {
  it.each([
    ['the header', request('Bearer new')],
    ['the query', request(undefined, { token: 'new' })],
    ['both', request('Bearer new', { token: 'new' })],
  ])('may carry the token in %s', async (_place, asking) => {
    const { agents, verified } = bearers();
    await agents.checkUpgrade(asking);
    expect(verified).toEqual(['new']);
    expect(agents.getCaller(asking)).toEqual(claimsOf('agent-of-new'));
  });

  it.each([
    ['another token', { token: 'seen' }],
    ['no token', { token: '' }],
    ['the token twice', { token: ['new', 'new'] }],
  ])('is refused when the header carries a token and the query %s', async (_what, query) => {
    const { agents, verified } = bearers();
    await expect(agents.checkUpgrade(request('Bearer new', query))).rejects.toThrow(DIFFERENT);
    expect(verified).toEqual([]);
  });

  it.each([
    ['no token', {}],
    ['two tokens in the query', { token: ['new', 'seen'] }],
  ])('is refused with %s', async (_what, query) => {
    const { agents, verified } = bearers();
    await expect(agents.checkUpgrade(request(undefined, query))).rejects.toThrow(NOT_VALID);
    expect(verified).toEqual([]);
  });

  it('is refused with a token that is not valid', async () => {
    const { agents } = bearers();
    const asking = request(undefined, { token: 'wrong' });
    await expect(agents.checkUpgrade(asking)).rejects.toThrow('That is no token of this surface.');
    expect(() => agents.getCaller(asking)).toThrow(NOT_VALID);
  });
});
