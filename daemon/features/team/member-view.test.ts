import { describe, expect, it } from 'vitest';
import { withDefaults } from './member-file.js';
import { type MemberFacts, memberDetail, memberRow } from './member-view.js';
import type { StoredMember } from './team-store.js';

const FACTS: MemberFacts = {
  resolveClient: ({ client, model, effort }) => ({
    client_resolved: `${client} of this machine`,
    model_resolved: `${model} at ${effort}`,
  }),
  instances: (id) => id.length,
  findToken: (id) => `token-of-${id}`,
};
const KEYS = withDefaults('ada', { name: 'Ada', exposure: 'external', color: 'red' }, '');
const VERSION = { ...KEYS, body: 'You are Ada.\n', unknown_keys: ['x-own'], revision: 'r1' };
const PROBLEM = { line: 2, column: 3, reason: 'It is broken.' };
const OK: StoredMember = { id: 'ada', revision: 'r1', version: VERSION, problem: undefined };
const BROKEN: StoredMember = { id: 'ada', revision: 'r2', version: VERSION, problem: PROBLEM };
const ROW = {
  ...KEYS,
  state: 'ok',
  serving: true,
  client_resolved: 'auto of this machine',
  model_resolved: 'strongest at default',
  instances: 3,
  token_last4: '-ada',
  revision: 'r1',
};

describe('the row of a member', () => {
  it('has its keys, what this machine makes of them, and the end of its token; neither body nor unknown keys', () => {
    expect(memberRow(OK, FACTS)).toStrictEqual(ROW);
  });

  it('of a broken file shows the version that still serves, with the problem and the revision on disk', () => {
    expect(memberRow(BROKEN, FACTS)).toStrictEqual({ ...ROW, state: 'broken', problem: PROBLEM, revision: 'r2' });
  });

  it('of a file that was never good shows the defaults', () => {
    const { token_last4: _token, color: _color, ...row } = ROW;
    expect(memberRow({ ...BROKEN, version: undefined }, FACTS)).toStrictEqual({
      ...row,
      ...withDefaults('ada', {}, ''),
      ...{ state: 'broken', problem: PROBLEM, serving: false, revision: 'r2' },
    });
  });

  it('of a member that is held says why, with the mistakes in its declarations before', () => {
    const findHold = ({ id }: { id: string }) => ({ by: 'tests', reason: `The tests of ${id} failed.` }) as const;
    const version = { ...VERSION, examples: ['one'] };
    expect(memberRow({ ...OK, version }, { ...FACTS, findHold })).toStrictEqual({
      ...ROW,
      examples: ['one'],
      exposure_hold: 'tests',
      warnings: [
        { path: 'examples', reason: '`examples` must be 2 to 4 asks, or none.' },
        { path: 'exposure', reason: 'The tests of ada failed.' },
      ],
    });
    expect(memberRow(OK, { ...FACTS, findHold: () => undefined })).toStrictEqual(ROW);
  });

  it('warns of a price that this machine cannot charge', () => {
    const pricing = { unit: 'request', amount: 1, currency: 'lamports', network: 'solana:devnet' };
    const member = () => ({ ...OK, version: { ...VERSION, pricing } });
    expect(memberRow(member(), FACTS)).not.toHaveProperty('warnings');
    expect(memberRow(member(), { ...FACTS, networks: ['solana:local'] }).warnings).toMatchObject([
      { path: 'pricing.network' },
    ]);
  });
});

describe('a member whole', () => {
  it('has its row, its body, its unknown keys and its token', () => {
    expect(memberDetail(OK, FACTS)).toStrictEqual({
      ...ROW,
      ...{ body: 'You are Ada.\n', unknown_keys: ['x-own'], token: 'token-of-ada' },
    });
  });

  it('has no token when it is internal, or has none yet', () => {
    const inside = { ...OK, version: { ...VERSION, exposure: 'internal' as const } };
    for (const member of [memberDetail(inside, FACTS), memberDetail(OK, { ...FACTS, findToken: () => undefined })]) {
      expect(member).not.toHaveProperty('token');
      expect(member).not.toHaveProperty('token_last4');
    }
  });

  it('has an empty body when its file was never good', () => {
    const { body, unknown_keys } = memberDetail({ ...BROKEN, version: undefined }, FACTS);
    expect([body, unknown_keys]).toEqual(['', []]);
  });
});
