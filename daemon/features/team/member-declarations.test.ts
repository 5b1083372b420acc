import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemberDetail } from '../../contract/team.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { testApp } from '../../testing/apps/test-app.js';
import { declarationWarnings, refuseNewMistakes } from './member-declarations.js';

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

describe('declarationWarnings', () => {
  const DEVNET = { ...PRICE, network: 'solana:devnet' };
  const DOLLARS = { unit: 'request', amount: 5, currency: 'USD' };
  const LOCAL = ['solana:local'];
  const toPaths = (warnings: readonly { path: string }[]) => warnings.map(({ path }) => path);

  it('are none of a member without declarations, and none of good ones', () => {
    expect(declarationWarnings({})).toEqual([]);
    expect(declarationWarnings({ pricing: PRICE, skills: [SKILL], examples: ['a', 'b'] }, LOCAL)).toEqual([]);
  });

  it.each<[Parameters<typeof declarationWarnings>[0], string[]]>([
    [{ pricing: { ...PRICE, amount: 0.5 } }, ['pricing.amount']],
    [{ pricing: DOLLARS }, ['pricing.currency']],
    [{ payment: { modes: ['barter'] } }, ['payment.modes.0']],
    [{ pricing: PRICE, payment: { modes: [] } }, ['payment.modes']],
    [{ examples: ['only one'] }, ['examples']],
    [{ skills: [{ ...SKILL, id: 'ask' }, { id: 'b' }] }, ['skills.0.id', 'skills.1.description']],
    [{ skills: [SKILL, { ...SKILL, id: 'b', pricing: DOLLARS }] }, ['skills.1.pricing.currency']],
    [{ skills: [{ ...SKILL, pricing: 'much' }] }, ['skills.0.pricing']],
    [
      { pricing: DOLLARS, payment: { modes: ['barter'] }, examples: ['only one'], skills: [{ ...SKILL, id: 'B' }] },
      ['pricing.currency', 'payment.modes.0', 'examples', 'skills.0.id'],
    ],
  ])('name each field that is wrong (%#)', (member, paths) => {
    expect(toPaths(declarationWarnings(member, LOCAL))).toEqual(paths);
  });

  it('tell of a row of another network that is left out, in the price of the member and of each skill', () => {
    const skills = [
      { ...SKILL, pricing: [PRICE, DEVNET] },
      { ...SKILL, id: 'b' },
    ];
    const reason = (path: string) =>
      `\`${path}\` is left out of the card: solana:devnet is not configured on this machine (MESHD_SOLANA_DEVNET_URL).`;
    expect(declarationWarnings({ pricing: [DEVNET, PRICE], skills }, LOCAL)).toEqual(
      ['pricing.0.network', 'skills.0.pricing.1.network'].map((path) => ({ path, reason: reason(path) })),
    );
    expect(declarationWarnings({ pricing: [DEVNET, PRICE], skills })).toEqual([]);
  });

  it('call a price that cannot be charged at all a mistake only, not one that is left out', () => {
    expect(toPaths(declarationWarnings({ pricing: [DEVNET] }, LOCAL))).toEqual(['pricing.0.network']);
  });

  it('tell the same of one version of a file each time', () => {
    const member = { pricing: DOLLARS };
    expect(declarationWarnings(member, LOCAL)).toEqual(declarationWarnings(member, LOCAL));
  });
});

describe('an edit', () => {
  const BAD_PAYMENT = { modes: ['barter'] };
  const BAD_SKILL = { id: 'ask', description: 'x' };
  const path = (before: Parameters<typeof refuseNewMistakes>[0], next: Parameters<typeof refuseNewMistakes>[1]) => {
    try {
      refuseNewMistakes(before, next);
      return 'accepted';
    } catch (error) {
      return (error as { details: { path: string } }).details.path;
    }
  };

  it.each<[string, Parameters<typeof path>, string]>([
    ['that brings a mistake', [{}, { payment: BAD_PAYMENT }], 'payment.modes.0'],
    ['that makes a member with one', [undefined, { examples: ['one'] }], 'examples'],
    ['that makes a member without one', [undefined, { examples: ['one', 'two'] }], 'accepted'],
    ['of another key', [{ payment: BAD_PAYMENT }, { payment: BAD_PAYMENT }], 'accepted'],
    ['that takes a mistake away', [{ payment: BAD_PAYMENT }, {}], 'accepted'],
    [
      'of the skills beside a wrong payment',
      [{ payment: BAD_PAYMENT }, { payment: BAD_PAYMENT, skills: [SKILL] }],
      'accepted',
    ],
    [
      'of the payment beside a wrong skill',
      [{ skills: [BAD_SKILL] }, { skills: [BAD_SKILL], payment: { modes: ['x402'] } }],
      'accepted',
    ],
    [
      'of the payment beside a wrong price',
      [{ pricing: { ...PRICE, amount: 0.5 } }, { pricing: { ...PRICE, amount: 0.5 }, payment: { modes: ['x402'] } }],
      'accepted',
    ],
    [
      'of the price that makes the payment wrong',
      [{ payment: { modes: [] } }, { payment: { modes: [] }, pricing: PRICE }],
      'payment.modes',
    ],
    [
      'of two keys of which the second is wrong',
      [{ skills: [BAD_SKILL] }, { skills: [{ ...BAD_SKILL, description: 'y' }], pricing: PRICE }],
      'skills.0.id',
    ],
  ])('%s: %s', (_title, [before, next], found) => {
    expect(path(before, next)).toBe(found);
  });

  it('of the payment cannot make a price unchargeable, and may leave one that is', () => {
    const { network: _, ...pricing } = PRICE;
    const payment = { modes: ['x402'], network: 'solana:devnet' };
    const at = (before: Parameters<typeof path>[0], next: Parameters<typeof path>[1]) => () =>
      refuseNewMistakes(before, next, ['solana:local']);
    expect(at({ pricing }, { pricing, payment })).toThrow('pricing');
    const skills = [{ ...SKILL, pricing }];
    expect(at({ skills }, { skills, payment })).toThrow('skills.0.pricing');
    const moved = { pricing, payment: { ...payment, note: 'mine' } };
    expect(at({ pricing, payment }, moved)).not.toThrow();
  });

  it('takes only the networks of this machine for chargeable', () => {
    const member = () => ({ pricing: { ...PRICE, network: 'solana:devnet' } });
    expect(() => refuseNewMistakes({}, member())).not.toThrow();
    expect(() => refuseNewMistakes({}, member(), ['solana:local'])).toThrow('cannot be charged');
  });
});
