import { describe, expect, it } from 'vitest';
import { parseScope } from './hashtags.js';

const POST = 'p_0123456789abcdef';
const OTHER = 'p_00000000000000ff';
const lookup = {
  isBoard: (slug: string) => ['jobs', 'flats', 'j', 'a-b', '2026', 'kept-'].includes(slug),
  isPost: (id: string) => id === POST || id === OTHER,
};

describe('parseScope', () => {
  it.each<[string, object]>([
    ['#jobs', { board: 'jobs' }],
    ['(#jobs)', { board: 'jobs' }],
    ['#jobs, #flats', { board: 'jobs' }],
    ['#jobs- and on', { board: 'jobs' }],
    ['#a-b', { board: 'a-b' }],
    ['#2026', { board: '2026' }],
    ['“#flats”', { board: 'flats' }],
    [`#${POST}`, { ref: POST }],
    [`#p_ffffffffffffffff #${POST} #flats`, { ref: POST, board: 'flats' }],
    ['#', {}],
    ['# jobs', {}],
    ['#jobsé', {}],
    ['é#jobs', {}],
    ['&#2026;', {}],
    ['see https://example.org/x#jobs or HTTP://X.ORG/#jobs', {}],
    ['mesh+ws://h/#jobs', {}],
    ['`#jobs` but #flats', { board: 'flats' }],
    ['``a ` #jobs`` #flats', { board: 'flats' }],
    ['an open ` and #jobs', { board: 'jobs' }],
    ['``` #jobs `` #flats', { board: 'jobs' }],
    ['`a` #jobs `b`', { board: 'jobs' }],
    ['```\n#jobs\n```\n#flats', { board: 'flats' }],
    ['`#jobs` `#jobs` #flats', { board: 'flats' }],
    ['`` #jobs `` ` #flats', { board: 'flats' }],
    ['a ` b `` c ` #jobs `` #flats', { board: 'jobs' }],
    ['#jobs `#flats`', { board: 'jobs' }],
    ['#`x`jobs', {}],
    ['_#jobs', {}],
    ['/#jobs', {}],
    ['7#jobs', {}],
    ['#jobs７', {}],
    ['#jobs_', { board: 'jobs' }],
    ['#jobs-_-', { board: 'jobs' }],
    ['#jobs_x', {}],
    ['#jobs_X', {}],
    ['#jobs-Ä', {}],
    ['#jobs- #kept-', { board: 'jobs' }],
    ['#kept-', { board: 'kept-' }],
    [`#${POST}_`, { ref: POST }],
    [`#${POST} #${OTHER}`, { ref: POST }],
    [`#${OTHER} #${POST}`, { ref: OTHER }],
    [`#${POST}0`, {}],
    ['#Jobs', {}],
    ['https://x.org/?#jobs', {}],
    ['HTTP://X.ORG?#jobs', {}],
    ['see https://x.org/?#jobs and #flats', { board: 'flats' }],
    ['mesh+ws://h?#jobs', {}],
    ['a1.b-c://h?#jobs', {}],
    ['www.x.org?#jobs', {}],
    ['WWW.x.org?#jobs', {}],
    ['wwwx?#jobs', { board: 'jobs' }],
    ['awww.x?#jobs', { board: 'jobs' }],
    ['a:/b?#jobs', { board: 'jobs' }],
    ['1x://h?#jobs', { board: 'jobs' }],
    ['http:// #jobs', { board: 'jobs' }],
    ['`https://x.org/` #jobs', { board: 'jobs' }],
  ])('resolves %j to %j', (text, scope) => expect(parseScope(text, lookup)).toEqual(scope));

  it('looks up at most 32 distinct hashtags per message', () => {
    let asked = 0;
    const count = () => {
      asked += 1;
      return false;
    };
    parseScope(Array.from({ length: 10_000 }, (_, n) => `#t${n} #t1`).join(' '), { isBoard: count, isPost: count });
    expect(asked).toBe(32);
  });

  it.each<[string, string[]]>([
    ['#none #none', ['none']],
    ['#none- #jobs', ['none-', 'none', 'jobs']],
    ['#jobs #flats #none', ['jobs']],
    [`#jobs #${POST} #flats #${OTHER}`, ['jobs', POST]],
    [`#${POST} #${OTHER} #jobs`, [POST, 'jobs']],
    [`#${POST}0 #x${POST} #p_0123`, []],
    [`#${'a'.repeat(40)} #${'b'.repeat(41)}`, ['a'.repeat(40)]],
    ['#a_b', []],
  ])('looks up in %j what may be a board or a post, until both are found', (text, expected) => {
    const asked: string[] = [];
    parseScope(text, {
      isBoard: (slug) => asked.push(slug) > 0 && lookup.isBoard(slug),
      isPost: (id) => asked.push(id) > 0 && lookup.isPost(id),
    });
    expect(asked).toEqual(expected);
  });

  it.each<[string, string]>([
    ['backticks of every length', Array.from({ length: 360 }, (_, n) => '`'.repeat(n + 1)).join(' ')],
    ['single backticks', '` '.repeat(30_000)],
    ['hashes', '#'.repeat(65_000)],
    ['one long tag', `#${'a'.repeat(65_000)}é`],
    ['half addresses', 'a+'.repeat(32_000)],
    ['schemes', 'x://'.repeat(16_000)],
  ])('runs in linear time among %s', (_name, text) => {
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      parseScope(`#none ${text}${text} #none`, lookup);
      return performance.now() - started;
    });
    // Milliseconds when linear, seconds when not.
    expect(Math.min(...times)).toBeLessThan(500);
  });
});
