import { expect, it } from 'vitest';
import type { JsonObject } from '../../storage/files/json-file.js';
import { DepositsFile } from './deposits-file.js';
import type { DepositKey } from './paying-ports.js';

const key = (api_key: string, more: Partial<DepositKey> = {}): DepositKey => ({
  ...{ agent: 'painter', endpoint: 'https://painter.example', api_key, network: 'solana:local' },
  ...{ address: 'wallet', lamports: 100, updated_ms: 1 },
  ...more,
});

/** Keys over a file with `content`, that may be written unless `mayWrite` says otherwise. */
function keysOver(content: JsonObject | null, mayWrite = true) {
  const file = {
    content,
    read: async () => file.content,
    write: async (data: JsonObject) => {
      file.content = data;
    },
  };
  const changed: string[] = [];
  const keys = new DepositsFile(
    file,
    async () => mayWrite,
    (agent) => void changed.push(agent),
  );
  return { file, keys, changed };
}

it('finds of an endpoint the key for the wallet and network with the most, and of equal ones the newest', async () => {
  const stored = [
    key('little', { lamports: 5 }),
    key('old'),
    key('new', { updated_ms: 2 }),
    key('older', { updated_ms: 0 }),
    key('rich', { lamports: 900, address: 'another wallet' }),
    key('elsewhere', { lamports: 900, endpoint: 'https://painter.example/2' }),
    key('not real', { lamports: 900, network: 'solana:devnet' }),
  ];
  const { keys } = keysOver({ deposits: stored });
  expect(keys.list()).toEqual([]);
  expect((await keys.find('https://painter.example', 'wallet', 'solana:local'))?.api_key).toBe('new');
  expect(keys.list()).toEqual(stored);
  expect((await keys.find('https://painter.example', 'another wallet', 'solana:local'))?.api_key).toBe('rich');
  expect((await keys.find('https://painter.example', 'wallet', 'solana:devnet'))?.api_key).toBe('not real');
  expect(await keys.find('https://painter.example', 'wallet', 'solana:mainnet')).toBeUndefined();
  expect(await keys.find('https://painter.example', undefined, 'solana:local')).toBeUndefined();
  expect(await keys.find('https://nobody.example', 'wallet', 'solana:local')).toBeUndefined();
});

it('keeps a key beside the others, replaces the one of the same name, and tells whose balance it is', async () => {
  const { file, keys, changed } = keysOver(null);
  await keys.put(key('one'));
  await keys.put(key('two', { agent: 'baker' }));
  await keys.put(key('one', { lamports: 7 }));
  expect(file.content).toEqual({ deposits: [key('one', { lamports: 7 }), key('two', { agent: 'baker' })] });
  expect(keys.list()).toEqual([key('one', { lamports: 7 }), key('two', { agent: 'baker' })]);
  expect(changed).toEqual(['painter', 'baker', 'painter']);
});

it('gives the keys of a project that has another port the address of now, and writes nothing for others', async () => {
  const lamp = { agent: 'lamp/consultant', network: 'solana:local-0000000a' };
  const old = key('old', { ...lamp, endpoint: 'http://127.0.0.1:4747/team/consultant' });
  const { file, keys, changed } = keysOver({ deposits: [key('one'), old] });
  const endpoint = 'http://127.0.0.1:4749/team/consultant';
  const before = file.content;
  await keys.moved({ ...lamp, endpoint, network: 'solana:local-0000000b' });
  expect(file.content).toBe(before);
  await keys.moved({ ...lamp, endpoint });
  expect(file.content).toEqual({ deposits: [key('one'), { ...old, endpoint }] });
  expect(changed).toEqual([]);
});

it('writes no new key while git tracks the folder, and goes on with those that are there', async () => {
  const { file, keys, changed } = keysOver({ deposits: [key('one')] }, false);
  await expect(keys.put(key('two'))).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('Git tracks files of .mesh/credentials, so no new key is written'),
  });
  expect([file.content, changed]).toEqual([{ deposits: [key('one')] }, []]);
  await keys.put(key('one', { lamports: 3 }));
  expect(file.content).toEqual({ deposits: [key('one', { lamports: 3 })] });
});

it.each<[string, unknown]>([
  ['that is no list', {}],
  ['with an entry that is no key', [key('one'), null]],
  ...(['agent', 'endpoint', 'api_key', 'network', 'address'] as const).map((name): [string, unknown] => [
    `whose ${name} is no text`,
    [{ ...key('one'), [name]: 7 }],
  ]),
  ...(['lamports', 'updated_ms'] as const).map((name): [string, unknown] => [
    `whose ${name} is no whole number`,
    [{ ...key('one'), [name]: 1.5 }],
  ]),
])('refuses a file %s and never overwrites it', async (_what, deposits) => {
  const { file, keys } = keysOver({ deposits } as JsonObject);
  const damaged = { code: 'store_readonly', message: expect.stringContaining('deposits.json is damaged') };
  await expect(keys.load()).rejects.toMatchObject(damaged);
  await expect(keys.put(key('two'))).rejects.toMatchObject(damaged);
  expect(file.content).toEqual({ deposits });
});
