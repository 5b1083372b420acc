import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemberDetail } from '../../contract/team.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { testApp } from '../../testing/apps/test-app.js';

const PRICE = { unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' };
const SKILL = { id: 'summarise', description: 'Summarises a file.' };

describe('pricing, payment and skills of a member', () => {
  it('are rejected by an edit that makes one invalid, with the field path and without a change', async () => {
    const app = await testApp();
    const before = (await app.call('GET', '/team/consultant')).body as MemberDetail;
    const attempts: [object, string][] = [
      [{ pricing: { ...PRICE, amount: 0.5 } }, 'pricing.amount'],
      [{ pricing: [{ ...PRICE, network: 'solana:moon' }] }, 'pricing.0.network'],
      [{ pricing: PRICE, payment: { modes: ['x402'], wallet: 'abc' } }, 'payment.wallet'],
      [{ pricing: PRICE, payment: { modes: ['barter'] } }, 'payment.modes.0'],
      [{ payment: { modes: ['x402'], deposit: { min_lamports: 1, credit_unit: 'lamports' } } }, 'payment.modes'],
      [{ skills: [{ ...SKILL, id: 'ask' }] }, 'skills.0.id'],
      [
        { skills: [SKILL, { ...SKILL, id: 'b', input_schema: { $ref: 'https://evil.example/x' } }] },
        'skills.1.input_schema.$ref',
      ],
    ];
    for (const [patch, path] of attempts) {
      const reply = await app.call('PATCH', '/team/consultant', patch);
      expect([path, reply.status, reply.body]).toEqual([
        path,
        400,
        expect.objectContaining({ error: 'bad_request', path }),
      ]);
      expect((reply.body as { message: string }).message).toContain(path);
    }
    const created = await app.call('POST', '/team', {
      id: 'seller',
      body: 'Sells.',
      pricing: { ...PRICE, amount: -1 },
    });
    expect(created.status).toBe(400);
    expect((await app.call('GET', '/team/consultant')).body).toEqual(before);
  });

  it('a price that cannot be charged is refused at save, and a row of a network that is not configured is named', async () => {
    const app = await testApp();
    const dollars = { unit: 'request', amount: 5, currency: 'USD' };
    const devnet = { ...PRICE, network: 'solana:devnet' };
    const refused: [object, string][] = [
      [{ pricing: dollars }, 'pricing.currency'],
      [{ pricing: devnet }, 'pricing.network'],
      [{ pricing: [devnet, dollars] }, 'pricing.0.network'],
      [{ pricing: [PRICE, { ...dollars, tier: 'max' }] }, 'pricing.1.currency'],
      [{ skills: [{ ...SKILL, pricing: dollars }] }, 'skills.0.pricing.currency'],
    ];
    for (const [patch, path] of refused) {
      const reply = await app.call('PATCH', '/team/consultant', patch);
      expect([path, reply.status, reply.body]).toEqual([path, 400, expect.objectContaining({ path })]);
      expect((reply.body as { message: string }).message).toContain('cannot be charged');
    }
    const saved = await app.call('PATCH', '/team/consultant', { pricing: [PRICE, devnet, dollars] });
    expect([saved.status, saved.body]).toMatchObject([
      200,
      {
        pricing: [PRICE, devnet, dollars],
        warnings: [{ path: 'pricing.1.network', reason: expect.stringContaining('MESHD_SOLANA_DEVNET_URL') }],
      },
    ]);
  });

  it('are stored as given when they are valid', async () => {
    const app = await testApp();
    const payment = {
      modes: ['x402', 'deposit'],
      network: 'solana:local',
      wallet: encodeBase58(Buffer.alloc(32, 9)),
      note: 'mine',
    };
    const reply = await app.call('PATCH', '/team/consultant', { pricing: [PRICE], payment, skills: [SKILL] });
    expect(reply.body).toMatchObject({ pricing: [PRICE], payment, skills: [SKILL], state: 'ok' });
    expect(reply.body).not.toHaveProperty('warnings');
  });

  it('examples are 2 to 4 or none: one is refused at save, and left out of the card when it is in the file', async () => {
    const app = await testApp();
    const [one, two] = ['Where is the port set?', 'Who calls start?'];
    expect(await app.call('PATCH', '/team/consultant', { examples: [one] })).toMatchObject({
      status: 400,
      body: { path: 'examples', message: expect.stringContaining('2 to 4') },
    });
    expect((await app.call('PATCH', '/team/consultant', { examples: [one, two] })).status).toBe(200);
    const path = join(app.root, '.mesh/team/consultant.md');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/examples:[\s\S]*?(?=\n\w|\n---)/, 'examples: [Only this one?]'),
    );
    await app.call('GET', '/team');
    expect((await app.call('GET', '/team/consultant')).body).toMatchObject({
      state: 'ok',
      warnings: [{ path: 'examples', reason: expect.stringContaining('2 to 4') }],
    });
    expect((await app.call('GET', '/team/consultant/.well-known/agent.json')).text).not.toContain('Only this one?');
  });

  it('are reported as warnings when an edit on disk makes them invalid, and other edits still succeed', async () => {
    const app = await testApp();
    const path = join(app.root, '.mesh/team/consultant.md');
    const broken = 'payment: { modes: [x402], wallet: abc }\nskills: [{ id: Wrong Id, description: x }]\n---\n';
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\n---\n/, `\n${broken}`));
    const { members } = (await app.call('GET', '/team')).body as { members: MemberDetail[] };
    expect(members.find(({ id }) => id === 'consultant')).toMatchObject({
      state: 'ok',
      serving: true,
      warnings: [
        { path: 'payment.wallet', reason: expect.stringContaining('32 bytes') },
        { path: 'skills.0.id', reason: expect.stringContaining('kebab-case') },
      ],
    });
    expect((await app.call('PATCH', '/team/consultant', { description: 'Still answers.' })).status).toBe(200);
    expect((await app.call('PATCH', '/team/consultant', { payment: { modes: ['x402'], wallet: 'abcd' } })).status).toBe(
      400,
    );
    const card = await app.call('GET', '/team/consultant/.well-known/agent.json');
    expect(card.body).toMatchObject({ pricing: { currency: 'free' }, skills: [{ id: 'ask' }] });
    expect((await app.call('PATCH', '/team/consultant', { payment: null, skills: null })).body).not.toHaveProperty(
      'warnings',
    );
  });

  it('with values that JSON cannot express do not break other members', async () => {
    const app = await testApp();
    const path = join(app.root, '.mesh/team/consultant.md');
    const good = readFileSync(path, 'utf8');
    const put = (line: string) => writeFileSync(path, good.replace(/\n---\n/, `\n${line}\n---\n`));
    const read = async () =>
      ((await app.call('GET', '/team')).body as { members: MemberDetail[] }).members.find(
        ({ id }) => id === 'consultant',
      );
    put('payment: &self { modes: [x402], more: *self }');
    expect(await read()).toMatchObject({
      state: 'broken',
      problem: { reason: expect.stringContaining('`payment` leads back into itself') },
    });
    put('skills: [{ id: a, description: x, input_schema: &s { properties: { a: *s } } }]');
    expect(await read()).toMatchObject({ state: 'broken', problem: { reason: expect.stringContaining('`skills`') } });
    put(
      'payment: { modes: [x402], more: .nan }\nskills: [{ id: a, description: x, input_schema: { default: ' +
        '.inf, const: .nan } }]',
    );
    expect(await read()).toMatchObject({ state: 'ok' });
    expect((await app.call('GET', '/team/consultant/.well-known/agent.json')).body).toMatchObject({
      payment: { more: null },
      skills: [{ id: 'ask' }, { id: 'a' }],
    });
    expect((await app.call('GET', '/team/consultant/openapi.yaml')).status).toBe(200);
    expect((await app.call('PATCH', '/team/consultant', { description: 'Still answers.' })).status).toBe(200);
  });
});
