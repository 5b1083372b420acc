import { describe, expect, it } from 'vitest';
import { inviteText, joinCommand, maskedToken, readInvite } from './invite.js';

const ID = 'c_0123456789abcdef0123';
const CK = `ck_${'a-B_'.repeat(10)}xyz`;
const AK = `ak_${'0'.repeat(43)}`;

describe('invite', () => {
  it('is parsed from the text that Share makes, whatever surrounds it', () => {
    const text = inviteText({ id: ID, name: 'Harbour\ncrew', token: CK, origin: 'http://127.0.0.1:4747' });
    expect(readInvite(text)).toEqual({ cluster_id: ID, token: CK });
    expect(readInvite(`> Hello!\n> ${text.replaceAll('\n', '\n> ')}\n\nSee you`)).toEqual({
      cluster_id: ID,
      token: CK,
    });
    expect(text).toContain('“Harbour crew”');
  });

  it('contains a one-line join command and no URL with the token', () => {
    const text = inviteText({ id: ID, name: 'Crew', token: CK, origin: 'http://127.0.0.1:4747' });
    expect(text).toContain(joinCommand(ID, CK));
    for (const address of text.match(/https?:\/\/\S+/g) ?? []) expect(address).not.toContain('ck_');
  });

  it('may be an id, a slug or the address of a public page', () => {
    expect(readInvite(` ${ID} `)).toEqual({ cluster_id: ID });
    expect(readInvite('the-commons')).toEqual({ cluster_id: 'the-commons' });
    expect(readInvite('http://127.0.0.1:4747/clusters/the-commons')).toEqual({ cluster_id: 'the-commons' });
  });

  it('distinguishes an admin token from a member token', () => {
    expect(readInvite(`${ID} ${CK} ${AK}`)).toEqual({ cluster_id: ID, token: CK, admin_token: AK });
  });

  it.each(['', 'two words', 'c_0123', `token ${CK}`, '../secret', `${ID}9`])(
    'is undefined when no cluster is named: %j',
    (pasted) => {
      expect(readInvite(pasted)).toBeUndefined();
    },
  );

  it('accepts only a complete token', () => {
    expect(readInvite(`${ID} ${CK}x`)).toEqual({ cluster_id: ID });
    expect(readInvite(`${ID} x${CK}`)).toEqual({ cluster_id: ID });
  });
});

describe('maskedToken', () => {
  it('shows the prefix and the last four characters', () => {
    expect(maskedToken(AK)).toBe('ak_••••0000');
  });
});
