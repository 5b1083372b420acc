import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Surface } from './contract/network/agents.js';
import { bearer, recordEvents } from './testing/apps/registering.js';
import { type TestApp, testApp } from './testing/apps/test-app.js';

const IDS = ['painter', 'writer'] as const;
const ACTS = ['register', 'token', 'card', 'away', 'back', 'deregister'] as const;

interface Step {
  surface: Surface;
  id: (typeof IDS)[number];
  act: (typeof ACTS)[number];
}

const aStep: fc.Arbitrary<Step> = fc.record({
  surface: fc.constantFrom<Surface>('hub', 'v1'),
  id: fc.constantFrom(...IDS),
  act: fc.constantFrom(...ACTS),
});

const base: Readonly<Record<Surface, string>> = { hub: '/agents', v1: '/v1/agents' };
const other = (surface: Surface): Surface => (surface === 'hub' ? 'v1' : 'hub');

/** Returns everything that is visible of a surface without a credential. */
async function seen(app: TestApp, surface: Surface): Promise<string> {
  const all = surface === 'hub' ? '/agents?all=true' : '/v1/agents';
  const replies = [await app.call('GET', all)];
  for (const id of IDS) replies.push(await app.call('GET', `${base[surface]}/${id}`));
  return replies.map(({ status, text }) => `${status} ${text}`).join('\n');
}

/** A client of both surfaces. It keeps the credentials that it received, by surface and id. */
class Program {
  private readonly credentials = new Map<string, { api_key: string; token: string }>();
  private cards = 0;

  constructor(private readonly app: TestApp) {}

  async take({ surface, id, act }: Step): Promise<number> {
    const key = `${surface} ${id}`;
    const known = this.credentials.get(key);
    const as = bearer(known?.token ?? 'none');
    const path = base[surface];
    const call = (method: string, tail: string, body?: object, headers?: Record<string, string>) =>
      this.app.call(method, `${path}${tail}`, body, headers);
    if (act === 'register') {
      const { status, body } = await call('POST', '/register', { agent_id: id, capabilities: ['paint'] });
      if (status === 200) this.credentials.set(key, body);
      return status;
    }
    if (act === 'token')
      return (await call('POST', '/token', { agent_id: id, api_key: known?.api_key ?? 'f'.repeat(32) })).status;
    if (act === 'deregister') return (await call('DELETE', '/me', undefined, as)).status;
    if (act === 'card') {
      this.cards += 1;
      return (await call('PATCH', '/me', { agent_card: { description: `Card ${this.cards}.` } }, as)).status;
    }
    return (await call('POST', '/me/state', { availability: { now: act === 'back' } }, as)).status;
  }

  getToken(surface: Surface, id: string): string | undefined {
    return this.credentials.get(`${surface} ${id}`)?.token;
  }
}

describe('the hub and the unified API', () => {
  it('do not show changes of the other surface', async () => {
    const app = await testApp();
    const events = recordEvents(app.daemon);
    const program = new Program(app);
    const happened = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const step of steps) {
          const before = await seen(app, other(step.surface));
          events.length = 0;
          const status = await program.take(step);
          happened.add(`${step.surface} ${step.act} ${status < 300 ? 'done' : 'refused'}`);
          expect(await seen(app, other(step.surface))).toBe(before);
          expect(events.filter((line) => !line.includes(` ${step.surface} `))).toEqual([]);
        }
      }),
      { numRuns: 25, seed: 20_261_121 },
    );
    // The steps covered every action on both surfaces, and a refused registration.
    for (const surface of ['hub', 'v1']) for (const act of ACTS) expect(happened).toContain(`${surface} ${act} done`);
    expect(happened).toContain('v1 register refused');
  });

  it('do not accept a token of the other surface', async () => {
    const app = await testApp();
    const program = new Program(app);
    for (const surface of ['hub', 'v1'] as const) await program.take({ surface, id: 'painter', act: 'register' });
    for (const surface of ['hub', 'v1'] as const) {
      const as = bearer(program.getToken(other(surface), 'painter') ?? '');
      for (const [method, tail, body] of [
        ['PATCH', '/me', { description: 'x' }],
        ['POST', '/me/state', { availability: { now: false } }],
        ['DELETE', '/me', undefined],
      ] as const) {
        expect([surface, method, (await app.call(method, `${base[surface]}${tail}`, body, as)).status]).toEqual([
          surface,
          method,
          401,
        ]);
      }
      expect((await app.call('GET', `${base[surface]}/painter`)).status).toBe(200);
    }
  });

  it('keep an agent’s record when it deregisters on the other surface', async () => {
    const app = await testApp();
    const program = new Program(app);
    for (const surface of ['hub', 'v1'] as const) await program.take({ surface, id: 'painter', act: 'register' });
    await program.take({ surface: 'v1', id: 'painter', act: 'deregister' });
    expect((await app.call('GET', '/v1/agents/painter')).status).toBe(404);
    expect((await app.call('GET', '/agents/painter')).body).toMatchObject({ agent_id: 'painter', online: true });
  });
});
