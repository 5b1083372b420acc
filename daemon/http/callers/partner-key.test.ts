import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { AnyRequest } from '../route-types.js';
import { WrongCredentials } from './bearer.js';
import { PartnerKeys } from './partner-key.js';

const sending = (key?: string) => ({ headers: key === undefined ? {} : { 'x-partner-key': key } }) as AnyRequest;
const partners = (keys: readonly string[], wrong = new WrongCredentials(new FakeClock())) =>
  new PartnerKeys(keys, wrong);

describe('a partner', () => {
  it.each(['first', 'second'])('is told by any one of the keys: %s', (key) => {
    expect(partners(['first', 'second']).isPartner(sending(key))).toBe(true);
  });

  it.each(['third', 'firs', 'FIRST', 'first,second', ''])('is not told by the key %j', (key) => {
    expect(partners(['first', 'second']).isPartner(sending(key))).toBe(false);
  });

  it('is nobody on a machine without partners', () => {
    expect(partners([]).isPartner(sending('first'))).toBe(false);
  });
});

describe('wrong partner keys', () => {
  it('are refused after twenty a minute, but never a right one', () => {
    const keys = partners(['right']);
    for (let count = 0; count < 20; count += 1) expect(keys.isPartner(sending('wrong'))).toBe(false);
    expect(() => keys.isPartner(sending('wrong'))).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    expect(keys.isPartner(sending('right'))).toBe(true);
  });

  it('are counted apart from the wrong credentials of any member, even one of no name', () => {
    const wrong = new WrongCredentials(new FakeClock());
    for (const subject of ['', 'member partner key']) for (let count = 0; count < 21; count += 1) wrong.refuse(subject);
    expect(partners(['right'], wrong).isPartner(sending('wrong'))).toBe(false);
  });

  it('are not counted for requests without a key or with a right one', () => {
    const wrong = new WrongCredentials(new FakeClock());
    const keys = partners(['right'], wrong);
    for (let count = 0; count < 30; count += 1) {
      expect(keys.isPartner(sending())).toBe(false);
      expect(keys.isPartner(sending('right'))).toBe(true);
    }
    expect(keys.isPartner(sending('wrong'))).toBe(false);
  });
});
