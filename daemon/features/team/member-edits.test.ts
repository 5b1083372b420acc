import { describe, expect, it } from 'vitest';
import type { MemberPatch, NewMember } from '../../contract/team.js';
import { newMemberText, patchedMemberText, requireGoodText } from './member-edits.js';

const refusal = (call: () => unknown) => {
  try {
    return call();
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: object };
    return { code, message, details };
  }
};

describe('newMemberText', () => {
  it.each<[NewMember, string]>([
    [{}, '---\nname: Ada\ndescription: ""\nkind: profile\nmodel: strongest\n---\n\n'],
    [
      { body: 'You are Ada.\n\nMore.' },
      '---\nname: Ada\ndescription: You are Ada.\nkind: profile\nmodel: strongest\n---\n\nYou are Ada.\n\nMore.',
    ],
    [
      { prompt: 'You.', body: 'You.', tools: ['read'], description: 'Hers.', kind: 'singleton', name: 'A' },
      '---\nname: A\ndescription: Hers.\nkind: singleton\nmodel: strongest\ntools: [read]\n---\n\nYou.',
    ],
  ])('writes what is given, and name, description, kind and model in any case: %j', (member, text) => {
    expect(newMemberText('ada', member)).toBe(text);
  });

  it.each<[NewMember, string, string]>([
    [{ required: false }, 'required', '`required` cannot be set here: the operator writes it into the file by hand.'],
    [{ body: 'a', prompt: 'b' }, 'prompt', '`prompt` is another word for `body`: give one of them.'],
    [{ body: '', prompt: 'b' }, 'prompt', '`prompt` is another word for `body`: give one of them.'],
    [{ model: ' ' }, 'model', '`model` must not be empty.'],
    [{ limits: { turns: 0 } }, 'limits.turns', '`limits.turns` must be >= 1.'],
  ])('refuses %j', (member, path, message) => {
    expect(refusal(() => newMemberText('ada', member))).toEqual({ code: 'bad_request', message, details: { path } });
  });
});

describe('patchedMemberText', () => {
  const ADA = '---\nname: Ada # hers\nmodel: opus\n---\n\nYou are Ada.\n';

  it.each<[MemberPatch, string]>([
    [{}, ADA],
    [{ model: 'haiku', color: 'red' }, '---\nname: Ada # hers\nmodel: haiku\ncolor: red\n---\n\nYou are Ada.\n'],
    [{ name: null, model: null }, '---\n---\n\nYou are Ada.\n'],
    [{ body: 'You.' }, '---\nname: Ada # hers\nmodel: opus\n---\n\nYou.'],
    [{ prompt: 'You.' }, '---\nname: Ada # hers\nmodel: opus\n---\n\nYou.'],
    [{ body: '' }, '---\nname: Ada # hers\nmodel: opus\n---\n\n'],
  ])('changes what is given and nothing else: %j', (patch, text) => {
    expect(patchedMemberText(ADA, patch)).toBe(text);
  });

  it.each(['kind', 'required'] as const)('refuses %s, also to clear it', (key) => {
    expect(refusal(() => patchedMemberText(ADA, { [key]: null }))).toEqual({
      code: 'immutable_field',
      message: `\`${key}\` cannot be changed here: edit the file by hand.`,
      details: { path: key },
    });
  });

  it('refuses a value that makes no member', () => {
    expect(refusal(() => patchedMemberText(ADA, { name: ' ', color: null }))).toEqual({
      code: 'bad_request',
      message: '`name` must not be empty.',
      details: { path: 'name' },
    });
  });

  it('refuses a file that is broken, with the place', () => {
    const problem = { line: 1, column: 1, reason: expect.stringContaining('never closed') };
    expect(refusal(() => patchedMemberText('---\nname: Ada\n', { color: 'red' }))).toEqual({
      code: 'bad_request',
      message: expect.stringMatching(
        /^The file is broken at line 1, column 1: The frontmatter is never closed: .* Mend its text, or restore it\.$/,
      ),
      details: { path: 'id', problem },
    });
  });
});

describe('requireGoodText', () => {
  it('accepts 256 KiB of UTF-8 and no more', () => {
    expect(requireGoodText('ada', 'é'.repeat(128 * 1024))).toMatchObject({ id: 'ada', name: 'Ada' });
    expect(refusal(() => requireGoodText('ada', `${'é'.repeat(128 * 1024)}x`))).toEqual({
      code: 'too_large',
      message: 'A member file has at most 256 KiB: shorten it, or move the material to a file and name it in `refs`.',
      details: {},
    });
  });

  it('refuses a secret with its line and its first three characters', () => {
    expect(refusal(() => requireGoodText('ada', `You are Ada.\n\nUse ghp_${'a'.repeat(36)} here.\n`))).toEqual({
      code: 'secret_in_member_file',
      message: 'Line 3 holds what looks like a secret (ghp…). Member files are committed: keep secrets out of them.',
      details: { line: 3 },
    });
  });

  it('refuses a text that would be broken, with the place', () => {
    const problem = { line: 3, column: 8, reason: '`model` must not be empty.' };
    expect(refusal(() => requireGoodText('ada', '---\nname: Ada\nmodel: "  "\n---\n'))).toEqual({
      code: 'bad_request',
      message: 'Line 3, column 8: `model` must not be empty.',
      details: { path: 'text', problem },
    });
  });
});
