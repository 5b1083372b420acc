import { describe, expect, it } from 'vitest';
import type { SecretFile } from '../../storage/files/secret-file.js';
import { RegistrationKeys } from './registration-keys.js';

const key = (n: number) => ({ agent_id: `lamp-${n}`, api_key: `key-${n}` });

/**
 * Keys over a file with `content`, which may be written while `state.mayWrite` is set and fails with `state.failure`.
 */
async function someKeys(content: Record<string, unknown> | null = null) {
  const state: { mayWrite: boolean; failure?: Error | undefined } = { mayWrite: true };
  const written: unknown[] = [];
  const file = {
    path: '/state/keys.json',
    read: async () => content,
    write: async (value: unknown) => {
      if (state.failure) throw state.failure;
      written.push(structuredClone(value));
    },
  };
  const keys = new RegistrationKeys(file as unknown as SecretFile, async () => state.mayWrite);
  return { keys, state, written };
}

describe('The keys of self-registrations', () => {
  it('are read by member and surface, and nothing else of the file is', async () => {
    const { keys } = await someKeys({
      consultant: { hub: { ...key(1), more: 1 }, v1: key(2), v2: key(3) },
      developer: { v1: key(4) },
      empty: {},
      none: null,
    });
    await keys.load();
    expect(keys.members()).toEqual(['consultant', 'developer', 'empty', 'none']);
    expect([keys.find('consultant', 'hub'), keys.find('consultant', 'v1'), keys.find('developer', 'v1')]).toEqual([
      key(1),
      key(2),
      key(4),
    ]);
    expect([keys.find('developer', 'hub'), keys.find('none', 'hub'), keys.find('nobody', 'v1')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(keys.isUnsaved).toBe(false);
  });

  it.each([
    { hub: 7 },
    { hub: null },
    { hub: {} },
    { v1: { agent_id: 'lamp' } },
    { v1: { api_key: 'key' } },
    { hub: key(1), v1: { agent_id: 1, api_key: 'key' } },
    { hub: { agent_id: 'lamp', api_key: null } },
  ])('of a damaged file are none: %j', async (value) => {
    const { keys } = await someKeys({ consultant: value });
    await expect(keys.load()).rejects.toMatchObject({
      code: 'store_readonly',
      message: '/state/keys.json is damaged: mend it, or remove it to have the members registered anew.',
    });
  });

  it('are written with each change, a member without any without its name', async () => {
    const { keys, written } = await someKeys();
    await keys.put('consultant', 'hub', key(1));
    await keys.put('consultant', 'v1', key(2));
    await keys.put('consultant', 'hub', key(3));
    await keys.drop('consultant', 'v1');
    await keys.drop('nobody', 'v1');
    await keys.drop('consultant', 'hub');
    expect(written).toEqual([
      { consultant: { hub: key(1) } },
      { consultant: { hub: key(1), v1: key(2) } },
      { consultant: { hub: key(3), v1: key(2) } },
      { consultant: { hub: key(3) } },
      { consultant: { hub: key(3) } },
      {},
    ]);
    expect(keys.members()).toEqual([]);
  });

  it('are kept in memory while none may be written, and written once they may, without a change not again', async () => {
    const { keys, state, written } = await someKeys();
    state.mayWrite = false;
    await keys.put('consultant', 'hub', key(1));
    await keys.save();
    expect([written, keys.isUnsaved, keys.find('consultant', 'hub')]).toEqual([[], true, key(1)]);
    state.mayWrite = true;
    for (let time = 0; time < 2; time += 1) await keys.save();
    expect([written, keys.isUnsaved]).toEqual([[{ consultant: { hub: key(1) } }], false]);
  });

  it('that could not be written are written with the next change', async () => {
    const { keys, state, written } = await someKeys();
    state.failure = new Error('full');
    await expect(keys.put('consultant', 'hub', key(1))).rejects.toThrow('full');
    expect(keys.isUnsaved).toBe(true);
    state.failure = undefined;
    await keys.drop('nobody', 'hub');
    expect([written, keys.isUnsaved]).toEqual([[{ consultant: { hub: key(1) } }], false]);
  });
});
