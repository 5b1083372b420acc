import { chmodSync, copyFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { meshd } from '../../testing/processes/command-line.js';
import { RECEIPT_FACTS } from '../../testing/receipt-facts.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { judgeSigner, readGiven, verifyGiven } from './verify.js';

const citations = [
  { path: 'a.ts', start_line: 1, end_line: 2, commit: null, sha256: 'x', quote: 'a\nb', status: 'checked' as const },
];
const seed = SigningKey.newSeed();
const key = new SigningKey(seed);
const receipt = makeReceipt({ ...RECEIPT_FACTS, citations }, key);

describe('a receipt', () => {
  it('is valid alone and inside its record', async () => {
    const record = { receipt, text: 'Why?', result_text: 'Because.', citations };
    expect(await verifyGiven(readGiven(JSON.stringify(receipt)))).toEqual({
      valid: true,
      reasons: [],
      pubkey: key.pubkey,
    });
    expect(await verifyGiven(readGiven(JSON.stringify(record)))).toEqual({
      valid: true,
      reasons: [],
      pubkey: key.pubkey,
    });
  });

  it('is invalid once it was changed', async () => {
    expect(await verifyGiven({ receipt: { ...receipt, model: 'better' } })).toMatchObject({ valid: false });
  });

  it.each([
    [{ text: 'Why not?' }, 'The question is not the one that was signed.'],
    [{ result_text: 'Because!' }, 'The answer is not the one that was signed.'],
    [{ citations: [] }, 'The list of citations is not the one that was signed.'],
    [{ text: 7 }, 'The question is not the one that was signed.'],
    [{ member: 'developer' }, 'The field member beside the receipt is not the one that was signed.'],
    [{ request_id: 'req-fedcba9876543210' }, 'The field request_id beside the receipt is not the one that was signed.'],
    [{ client: 'claude-code' }, 'The field client beside the receipt is not the one that was signed.'],
    [{ model: 'strongest' }, 'The field model beside the receipt is not the one that was signed.'],
    [
      { created_at: '2026-11-20T12:00:00.000Z' },
      'The field created_at beside the receipt is not the one that was signed.',
    ],
    [{ finished_at: null }, 'The field finished_at beside the receipt is not the one that was signed.'],
  ])('is invalid with other fields beside it: %j', async (record, reason) => {
    expect(await verifyGiven({ receipt, record })).toMatchObject({ valid: false, reasons: [reason] });
  });

  it('is distinguished from other input', async () => {
    expect(() => readGiven('receipt')).toThrow('not JSON');
    expect(await verifyGiven({ receipt: { v: 1 } })).toMatchObject({ valid: false, pubkey: null });
  });
});

describe('the key that signed', () => {
  const [own, other] = ['own', 'other'];

  it('is accepted only if it is that of this daemon', () => {
    expect(judgeSigner(own, { own })).toEqual({ signer: 'this daemon', refusal: undefined });
    expect(judgeSigner(other, { own })).toEqual({
      signer: 'another key',
      refusal: expect.stringMatching(/another key than this daemon’s.*--key.*--any-key/),
    });
    expect(judgeSigner(other, { own: undefined }).refusal).toMatch(/no key of its own/);
  });

  it('must be the named one if one is named, even instead of that of this daemon', () => {
    expect(judgeSigner(other, { own, named: other })).toEqual({ signer: 'the key you named', refusal: undefined });
    expect(judgeSigner(own, { own, named: other })).toEqual({
      signer: 'this daemon',
      refusal: 'It is not signed by the key that you named.',
    });
  });

  it('is accepted with --any-key whatever it is, and still reported', () => {
    expect(judgeSigner(other, { own, isAnyTaken: true })).toEqual({ signer: 'another key', refusal: undefined });
  });
});

describe('meshd verify', () => {
  it('accepts the key of the project, the named one, or any', async () => {
    const root = temporaryFolder({
      'receipt.json': JSON.stringify(receipt),
      '.mesh/credentials/identity.key': `${seed.toString('base64')}\n`,
    });
    chmodSync(join(root, '.mesh/credentials/identity.key'), 0o600);
    // A seed that is part of a repository proves nothing about the signer.
    expect(await meshd(root, 'verify', join(root, 'receipt.json'))).toMatchObject({ exit: 1 });
    ownState(root);
    const elsewhere = temporaryFolder({ 'receipt.json': JSON.stringify(receipt) });
    const file = join(elsewhere, 'receipt.json');
    expect(await meshd(root, 'verify', file)).toEqual({
      exit: 0,
      out: `Valid, signed by this daemon: ${key.pubkey}.\n`,
      err: '',
    });
    expect(await meshd(elsewhere, 'verify', file)).toMatchObject({ exit: 1, out: 'Not valid.\n' });
    expect(await meshd(elsewhere, 'verify', file, '--key', key.pubkey)).toMatchObject({ exit: 0 });
    expect(await meshd(elsewhere, 'verify', file, '--any-key', '--json')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('"signer": "another key"'),
    });
    expect(await meshd(root, 'verify', file, '--key', `${key.pubkey.slice(1)}A`)).toMatchObject({ exit: 1 });
    expect(await meshd(root, 'verify', file, '--key', key.pubkey, '--any-key')).toMatchObject({ exit: 2 });
  });

  it('reads no key from a file that others can read, or through a link', async () => {
    const root = temporaryFolder({
      'receipt.json': JSON.stringify(receipt),
      'planted.key': `${seed.toString('base64')}\n`,
      '.mesh/credentials/README': '',
    });
    ownState(root);
    const file = join(root, 'receipt.json');
    const place = join(root, '.mesh/credentials/identity.key');
    chmodSync(join(root, 'planted.key'), 0o600);
    symlinkSync(join(root, 'planted.key'), place);
    expect(await meshd(root, 'verify', file)).toMatchObject({ exit: 1 });
    rmSync(place);
    copyFileSync(join(root, 'planted.key'), place);
    chmodSync(place, 0o644);
    expect(await meshd(root, 'verify', file)).toMatchObject({ exit: 1 });
    chmodSync(place, 0o600);
    expect(await meshd(root, 'verify', file)).toMatchObject({ exit: 0 });
  });
});
