import { describe, expect, it } from 'vitest';
import { EMPTY_POST, kindOf, lengthOf, type PostDraft, postProblems, refusedField, toPost } from './post-draft.js';

const draft = (more: Partial<PostDraft> = {}): PostDraft => ({ ...EMPTY_POST, title: 'A lamp', ...more });
const atPath = (path: string) => ({ code: 'bad_request', message: 'wrong', details: { path } });
const porto = { label: 'Porto, Portugal', lat: 41.15, lon: -8.61 };

describe('a post as it is typed', () => {
  it('comes out as the wire has it, with nothing of its own where it inherits', () => {
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

  it('names a file by its address and the media type that its ending stands for', () => {
    expect(kindOf('https://example.org/a/bike.JPG?x=1')).toBe('image/jpeg');
    expect(kindOf('https://example.org/a')).toBe('');
    expect(toPost(draft({ fileUrl: ' https://example.org/a.pdf ' })).file).toEqual({
      url: 'https://example.org/a.pdf',
      mime: 'application/pdf',
    });
    expect(toPost(draft({ fileUrl: 'https://example.org/a.pdf', fileKind: 'text/x' })).file?.mime).toBe('text/x');
    expect(postProblems(draft({ fileUrl: 'https://example.org/a' }), undefined).fileKind).toBeDefined();
    for (const fileUrl of ['ftp://x.y/a.png', 'nothing', 'https://u:p@x.y/a.png', 'javascript:alert(1)'])
      expect(postProblems(draft({ fileUrl }), undefined).fileUrl).toBeDefined();
  });

  it('is too long by so many code points of title and body together', () => {
    const long = draft({ title: '🏮🏮', body: 'abc' });
    expect(lengthOf(long)).toBe(5);
    expect(postProblems(long, 5)).toEqual({});
    expect(postProblems(long, 3).body).toBe(
      'Title and body have 5 characters together: 2 over the 3 that this board allows.',
    );
  });

  it('needs a title, and a place where it says that there is one', () => {
    expect(postProblems(draft({ title: '  ' }), undefined).title).toBeDefined();
    expect(postProblems(draft({ title: 'x'.repeat(201) }), undefined).title).toContain('201');
    expect(postProblems(draft({ where: { kind: 'place' } }), undefined).where).toBeDefined();
    expect(postProblems(draft({ where: { kind: 'words', label: ' ' } }), undefined).where).toBeDefined();
    expect(postProblems(draft(), undefined)).toEqual({});
  });
});

describe('a refusal', () => {
  it('is told at the field that it is about', () => {
    expect(refusedField({ code: 'post_too_long', message: 'x', details: { limit: 10, length: 12 } })?.body).toContain(
      '2 over the 10',
    );
    expect(refusedField(atPath('file.mime'))).toEqual({ fileKind: 'wrong' });
    expect(refusedField(atPath('/props/where/label'))).toEqual({ where: 'wrong' });
    expect(refusedField(atPath('title'))).toEqual({ title: 'wrong' });
  });

  it('of the whole is told of no field', () => {
    expect(refusedField({ code: 'board_full', message: 'full', details: { limit: 1000 } })).toBeUndefined();
    expect(refusedField(undefined)).toBeUndefined();
  });
});
