import { describe, expect, it } from 'vitest';
import { Conditions } from './conditions.js';

describe('Conditions', () => {
  it('has no WHERE clause without conditions', () => {
    expect(new Conditions().where).toBe('');
  });

  it('joins conditions by AND and leaves out those without a value', () => {
    const filter = new Conditions()
      .and('kind IS NOT NULL')
      .and('state = ?', undefined)
      .and('(at, id) < (?, ?)', 5, undefined)
      .and('(low = ? OR high = ?)', 0, 'b');
    expect(filter.where).toBe('WHERE kind IS NOT NULL AND (low = ? OR high = ?)');
    expect(filter.values).toEqual([0, 'b']);
  });

  it('searches columns for a text literally', () => {
    const filter = new Conditions().andContains(['id', 'reason'], ' 5%_\\ ');
    expect(filter.where).toBe("WHERE (id LIKE ? ESCAPE '\\' OR reason LIKE ? ESCAPE '\\')");
    expect(filter.values).toEqual(['%5\\%\\_\\\\%', '%5\\%\\_\\\\%']);
  });

  it.each([undefined, '', '  '])('does not search for %j', (text) => {
    expect(new Conditions().andContains(['id'], text).where).toBe('');
  });
});
