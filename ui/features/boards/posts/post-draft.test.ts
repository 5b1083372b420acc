import { describe, expect, it } from 'vitest';
import {
  countChars,
  EMPTY_POST,
  getDraftKind,
  type PostDraft,
  postProblems,
  refusedField,
  toPost,
} from './post-draft.js';

const draft = (more: Partial<PostDraft> = {}): PostDraft => ({ ...EMPTY_POST, title: 'A lamp', ...more });
const atPath = (path: string) => ({ code: 'bad_request', message: 'wrong', details: { path } });
const porto = { label: 'Porto, Portugal', lat: 41.15, lon: -8.61 };

describe('post draft', () => {
  it('converts to the API’s form without inherited values', () => {
    expect(toPost(draft({ title: '  A lamp ', body: 'Brass' }))).toEqual({ title: 'A lamp', body: 'Brass', ttl: '7d' });
    expect(toPost(draft({ lang: 'pt', where: { kind: 'none' }, ttl: 'forever' }))).toMatchObject({
      ttl: 'forever',
      props: { lang: 'pt', where: 'none' },
    });
    expect(toPost(draft({ where: { kind: 'place', place: porto } })).props).toEqual({ where: porto });
    expect(toPost(draft({ where: { kind: 'words', label: ' online ' } })).props).toEqual({
      where: { label: 'online' },
    });
  });

  it('derives the media type of a file from its address', () => {
    expect(getDraftKind('https://example.org/a/bike.JPG?x=1')).toBe('image/jpeg');
    expect(getDraftKind('https://example.org/a')).toBe('');
    expect(toPost(draft({ fileUrl: ' https://example.org/a.pdf ' })).file).toEqual({
      url: 'https://example.org/a.pdf',
      mime: 'application/pdf',
    });
    expect(toPost(draft({ fileUrl: 'https://example.org/a.pdf', fileKind: 'text/x' })).file?.mime).toBe('text/x');
    expect(postProblems(draft({ fileUrl: 'https://example.org/a' }), undefined).fileKind).toBeDefined();
    for (const [fileKind, isRight] of [
      ['text/html; charset=utf-8', true],
      ['text/html;x="a b"', true],
      ['text/html;', false],
    ] as const)
      expect(!postProblems(draft({ fileUrl: 'https://a.example/', fileKind }), undefined).fileKind).toBe(isRight);
    for (const fileUrl of ['ftp://x.y/a.png', 'nothing', 'https://u:p@x.y/a.png', 'javascript:alert(1)'])
      expect(postProblems(draft({ fileUrl }), undefined).fileUrl).toBeDefined();
  });

  it('counts code points of title and body against the limit', () => {
    const long = draft({ title: '🏮🏮', body: 'abc' });
    expect(countChars(long)).toBe(5);
    expect(postProblems(long, 5)).toEqual({});
    expect(postProblems(long, 3).body).toBe(
      'Title and body have 5 characters together: 2 over the 3 that this board allows.',
    );
  });

  it('requires a title, and a place when one is announced', () => {
    expect(postProblems(draft({ title: '  ' }), undefined).title).toBeDefined();
    expect(postProblems(draft({ title: 'x'.repeat(201) }), undefined).title).toContain('201');
    expect(postProblems(draft({ where: { kind: 'place' } }), undefined).where).toBeDefined();
    expect(postProblems(draft({ where: { kind: 'words', label: ' ' } }), undefined).where).toBeDefined();
    expect(postProblems(draft(), undefined)).toEqual({});
  });
});

describe('refusedField', () => {
  it('returns the error at its field', () => {
    expect(refusedField({ code: 'post_too_long', message: 'x', details: { limit: 10, length: 12 } })?.body).toContain(
      '2 over the 10',
    );
    expect(refusedField(atPath('file.mime'))).toEqual({ fileKind: 'wrong' });
    expect(refusedField(atPath('/props/where/label'))).toEqual({ where: 'wrong' });
    expect(refusedField(atPath('title'))).toEqual({ title: 'wrong' });
  });

  it('returns undefined for an error of the whole post', () => {
    expect(refusedField({ code: 'board_full', message: 'full', details: { limit: 1000 } })).toBeUndefined();
    expect(refusedField(undefined)).toBeUndefined();
  });
});
