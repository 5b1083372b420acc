import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESERVED_ID_PREFIXES, ROUTE_WORDS } from '../../contract/network/agents.js';
import { agentKey, checkAgentId } from './agent-id.js';

const check =
  (id: string, isPartner = false) =>
  () =>
    checkAgentId(id, { isPartner });
const thrown = (run: () => void): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('an agent_id', () => {
  it.each([
    'abc',
    'A-1',
    'lamp_agent',
    '0x0',
    'a'.repeat(64),
    'hubert',
    'oracle',
    'mesh_agent',
    'meshed',
    'registered',
  ])('accepts %s', (id) => {
    expect(check(id)).not.toThrow();
  });

  it.each([
    '',
    'ab',
    'a'.repeat(65),
    '-abc',
    '_abc',
    'a b',
    'a.b',
    'ünder',
    'abc\n',
    'a/b',
    'a%2fb',
    'abc\u0000',
    '../../x',
  ])('rejects the malformed id %j with bad_request for agent_id', (id) => {
    expect(thrown(check(id))).toMatchObject({ code: 'bad_request', details: { path: 'agent_id' } });
    expect(thrown(check(id, true))).toMatchObject({ code: 'bad_request' });
  });

  it.each(
    RESERVED_ID_PREFIXES.flatMap((prefix) => [
      [prefix, `${prefix}x`] as const,
      [prefix, `${prefix.toUpperCase()}X`] as const,
    ]),
  )('with the reserved prefix %s, such as %s, is rejected for non-partners and accepted for partners', (prefix, id) => {
    expect(thrown(check(id))).toMatchObject({ code: 'reserved_agent_id', details: { path: 'agent_id', prefix } });
    expect(check(id, true)).not.toThrow();
  });

  it.each(ROUTE_WORDS.flatMap((word) => [word, word.toUpperCase()]))(
    'rejects the route word %s, for partners too',
    (id) => {
      expect(thrown(check(id))).toMatchObject({ code: 'bad_request' });
      expect(thrown(check(id, true))).toMatchObject({ code: 'bad_request' });
    },
  );

  it('that is rejected is told what an id may be, with the word or the prefix that is kept', () => {
    expect(check('a b')).toThrow(
      '"agent_id" must be 3 to 64 letters, digits, `-` or `_`, beginning with a letter or a digit.',
    );
    expect(check('Register')).toThrow('"register" is a word of the service itself: choose another id.');
    expect(thrown(check('register'))).toMatchObject({ details: { path: 'agent_id' } });
    expect(check('Hub-1')).toThrow('Ids that begin with "hub-" are kept for partners: choose another id.');
  });

  it('compares without regard to case and to nothing else', () => {
    expect(agentKey('Lamp-Agent')).toBe(agentKey('lamp-AGENT'));
    const ids = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{2,20}$/);
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        expect(agentKey(one) === agentKey(other)).toBe(one.toUpperCase() === other.toUpperCase());
      }),
      { seed: 20261121 },
    );
  });
});
