import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OutboundError, type OutboundReason } from '../../http/outbound/outbound-policy.js';
import { unknownId } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Ask } from '../asks/ask-store.js';
import { checkedPush, type PushCheckParts } from './push-check.js';
import { type PushConfigRow, PushConfigsStore } from './push-configs-store.js';
import { PushDelivery, type PushDeliveryParts } from './push-delivery.js';
import { PushNotifications, type PushNotificationsParts } from './push-notifications.js';
import { PushSecrets } from './push-secrets.js';

const DAY = 86_400_000;
const settle = async () => {
  for (let count = 0; count < 20; count += 1) await new Promise(setImmediate);
};
const anAsk = (status: Ask['status'] = 'queued', request_id = 'req-1') =>
  ({ request_id, member: 'guide', status }) as Ask;
const aRow = (facts: Partial<PushConfigRow> = {}) => ({
  ...{ request_id: 'req-1', config_id: 'hook', member: 'guide', url: 'https://u', version: '1.0' },
  ...{ sent_status: null, created_ms: 1_000 },
  ...facts,
});

function aStore() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  return new PushConfigsStore(database);
}

/** Secrets in a file; `state.mayWrite` says whether a new one may be written. */
function someSecrets(content?: object) {
  const root = temporaryFolder(content === undefined ? {} : { 'push.json': JSON.stringify(content) });
  const path = join(root, 'push.json');
  const state = { mayWrite: true };
  const secrets = new PushSecrets(new SecretFile(path), async () => state.mayWrite);
  return { secrets, state, path, read: () => JSON.parse(readFileSync(path, 'utf8')) as object };
}

describe('the store of push configurations', () => {
  it('holds what was set, by task and id, the newest of the same', async () => {
    const store = aStore();
    await store.put(aRow({ config_id: 'a', sent_status: 'done' }));
    await store.put(aRow({ config_id: 'b', url: 'https://old' }));
    await store.put(aRow({ config_id: 'b', url: 'https://new', version: '0.3', created_ms: 2_000 }));
    await store.put(aRow({ request_id: 'req-2' }));
    expect(store.find('req-1', 'a')).toEqual({ ...aRow({ config_id: 'a', sent_status: 'done' }), seq: 1 });
    expect(store.listByRequest('req-1').map(({ config_id, url }) => `${config_id} ${url}`)).toEqual([
      ...['a https://u', 'b https://new'],
    ]);
    expect(store.list().map(({ request_id }) => request_id)).toEqual(['req-1', 'req-1', 'req-2']);
    expect(store.find('req-2', 'a')).toBeUndefined();
  });

  it('records what was sent, and forgets by id, by member and by age', async () => {
    const store = aStore();
    for (const [config_id, member, created_ms] of [
      ['a', 'guide', 1_000],
      ['b', 'guide', 2_000],
      ['c', 'clerk', 1_999],
      ['d', 'guide', 2_000],
    ] as const)
      await store.put(aRow({ config_id, member, created_ms }));
    const ids = () =>
      store
        .list()
        .map(({ config_id }) => config_id)
        .join('');
    await store.putSent(store.find('req-1', 'b')?.seq ?? 0, 'running');
    expect(store.list().map(({ sent_status }) => sent_status)).toEqual([null, 'running', null, null]);
    await store.remove('req-1', 'd');
    expect(ids()).toBe('abc');
    await store.removeBefore(1_999);
    expect(ids()).toBe('bc');
    await store.removeOfMember('guide');
    expect(ids()).toBe('c');
  });
});

describe('the secrets of push configurations', () => {
  const TOKEN = { token: 't' };

  it('are kept by key, and forgotten unless they are kept', async () => {
    const { secrets, read } = someSecrets();
    await secrets.put('a', TOKEN);
    await secrets.put('b', { scheme: 'Bearer', credentials: 'c' });
    expect([await secrets.find('a'), await secrets.find('x')]).toEqual([TOKEN, undefined]);
    await secrets.keepOnly((key) => key !== 'b');
    expect(read()).toEqual({ a: TOKEN });
  });

  it('are not written while git tracks their folder', async () => {
    const { secrets, state } = someSecrets();
    state.mayWrite = false;
    await expect(secrets.put('a', TOKEN)).rejects.toMatchObject({
      code: 'forbidden',
      message:
        'Git tracks files of .mesh/credentials, so no new secret is written: leave token and authentication out.',
    });
    expect(await secrets.find('a')).toBeUndefined();
  });

  it.each([
    [{ a: 7 }],
    [{ a: { token: 7 } }],
    [{ a: { scheme: 7 } }],
    [{ a: { credentials: 7 } }],
    [{ a: null }],
    [{ a: [] }],
  ])('are refused from a damaged file: %j', async (content) => {
    const { secrets, path } = someSecrets(content);
    await expect(secrets.find('a')).rejects.toMatchObject({
      code: 'store_readonly',
      message: `${path} is damaged: mend it, or remove it to forget its secrets.`,
    });
  });

  it('are read from a file', async () => {
    expect(await someSecrets({ a: TOKEN, b: {} }).secrets.find('a')).toEqual(TOKEN);
  });
});

describe('the check of a push configuration', () => {
  const check = (facts: object, parts: Partial<PushCheckParts> = {}) =>
    checkedPush(
      {
        tenant: '',
        taskId: 't',
        id: 'hook',
        url: 'https://a.example/',
        token: '',
        authentication: undefined,
        ...facts,
      },
      { loopback: () => new Set(), resolve: async () => ['93.184.215.14'], clock: new FakeClock(), ...parts },
    );
  const refused = (name: string, message: string) => ({
    ...{ code: 'bad_request', details: { path: `pushNotificationConfig.${name}` } },
    message: expect.stringContaining(`"pushNotificationConfig.${name}" ${message}`),
  });

  it('gives its address and the secrets that it has', async () => {
    expect(await check({ id: '' })).toEqual({ id: '', url: 'https://a.example/', secret: undefined });
    expect((await check({ token: 't' })).secret).toEqual({ token: 't' });
    const authentication = { scheme: 'Bearer', credentials: 'c' };
    expect((await check({ authentication })).secret).toEqual(authentication);
    expect((await check({ authentication: { scheme: 'Bearer', credentials: '' } })).secret).toEqual({
      scheme: 'Bearer',
    });
    expect((await check({ authentication: { scheme: '', credentials: 'c' } })).secret).toBeUndefined();
  });

  it.each([
    [{ id: 'a b' }, 'id', 'must be at most 128 letters, digits, ".", "_", ":" and "-".'],
    [{ id: 'x'.repeat(129) }, 'id', 'must be at most 128 letters'],
    [{ token: 'a\nb' }, 'token', 'must be at most 4096 printable characters.'],
    [{ token: 'ü' }, 'token', 'must be at most 4096 printable characters.'],
    [{ token: 'x'.repeat(4_097) }, 'token', 'must be at most 4096 printable characters.'],
    [
      { authentication: { scheme: 'Bearer', credentials: '\u0000' } },
      ...(['authentication.credentials', 'must be at most 4096 printable characters.'] as const),
    ],
    [
      { authentication: { scheme: 'a b', credentials: '' } },
      ...(['authentication.scheme', 'must be the name of an HTTP authentication scheme.'] as const),
    ],
    [
      { authentication: { scheme: 'x'.repeat(65), credentials: '' } },
      ...(['authentication.scheme', 'must be the name of an HTTP authentication scheme.'] as const),
    ],
    [{ url: 'http://a.example/' }, 'url', 'is not where notifications are sent to: they go to https: addresses of'],
    [{ url: 'https://127.0.0.1:8443/' }, 'url', 'is not where notifications are sent to'],
    [{ url: 'x' }, 'url', 'is not where notifications are sent to'],
  ])('refuses %#', async (facts, name, message) => {
    await expect(check(facts)).rejects.toMatchObject(refused(name, message));
  });

  it('takes ids, tokens and schemes up to their limits', async () => {
    const authentication = { scheme: `!#$%&'*+.^_\`|~-${'x'.repeat(49)}`, credentials: ' ~' };
    await check({ id: `a.B_9:-${'x'.repeat(121)}`, token: 'x'.repeat(4_096), authentication });
  });

  it('asks for the addresses of a name, which must be public, and not of an address', async () => {
    const asked: string[] = [];
    const resolve = (answer: string[]) => async (host: string) => {
      asked.push(host);
      return answer;
    };
    await expect(check({}, { resolve: resolve(['93.184.215.14', '10.0.0.1']) })).rejects.toMatchObject(
      refused('url', 'is not where'),
    );
    await check({ url: 'https://93.184.215.14/' }, { resolve: resolve(['10.0.0.1']) });
    expect(asked).toEqual(['a.example']);
  });

  it('takes a name that does not resolve, in time or at all, and stops its timer', async () => {
    const clock = new FakeClock();
    await check({}, { clock, resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(clock.pending).toBe(0);
    const late = check({}, { clock, resolve: () => new Promise(() => undefined) });
    let isOver = false;
    void late.then(() => {
      isOver = true;
    });
    clock.advance(2_999);
    await settle();
    expect(isOver).toBe(false);
    clock.advance(1);
    expect((await late).id).toBe('hook');
    expect(clock.pending).toBe(0);
  });

  it('fails as it is where the policy itself breaks', async () => {
    const loopback = () => {
      throw new Error('No.');
    };
    await expect(check({}, { loopback })).rejects.toThrow('No.');
  });
});

describe('the delivery of notifications', () => {
  /** A delivery to a receiver that answers with `answers` in order, then with 204. */
  function delivering(answers: (number | Error)[] = [], secret?: object) {
    const clock = new FakeClock();
    const [sent, warned] = [[] as { headers: object; body: string }[], [] as string[]];
    const row = { ...aRow(), seq: 1, sent_status: null as Ask['status'] | null };
    const put: string[] = [];
    const parts = {
      store: {
        find: () => row,
        putSent: async (seq: number, status: Ask['status']) => {
          put.push(`${seq} ${status}`);
          row.sent_status = status;
        },
      },
      secrets: { find: async (key: string) => (key === 'req-1/hook' ? secret : undefined) },
      exchange: {
        send: async (request: { headers: object; body: string }) => {
          sent.push(request);
          const answer = answers.shift() ?? 204;
          if (typeof answer !== 'number') throw answer;
          return { status: answer };
        },
      },
      ...{ clock, warn: (text: string) => void warned.push(text) },
      body: async ({ status }: Ask, version: string) => ({ text: `${status} ${version}`, contentType: 'type/x' }),
    };
    const delivery = new PushDelivery(parts as unknown as PushDeliveryParts);
    const add = (status: Ask['status']) => delivery.add(row, anAsk(status));
    return { delivery, clock, sent, warned, put, row, add, bodies: () => sent.map(({ body }) => body).join(', ') };
  }

  it('sends the task with its secrets, and records what it has sent', async () => {
    const { add, sent, put } = delivering([], { token: 't', scheme: 'Bearer', credentials: 'c' });
    add('running');
    await settle();
    expect(sent).toEqual([
      {
        ...{ method: 'POST', url: 'https://u', body: 'running 1.0', totalMs: 10_000, maxBytes: 65_536 },
        headers: { 'content-type': 'type/x', 'x-a2a-notification-token': 't', authorization: 'Bearer c' },
      },
    ]);
    expect(put).toEqual(['1 running']);
  });

  it.each([[undefined], [{ scheme: 'Bearer' }], [{ credentials: 'c' }]])('sends no header for %j', async (secret) => {
    const { add, sent } = delivering([], secret);
    add('running');
    await settle();
    expect(sent[0]?.headers).toEqual({ 'content-type': 'type/x' });
  });

  it('sends one after another, none twice', async () => {
    const { add, bodies } = delivering();
    for (const status of ['queued', 'running', 'running', 'done'] as const) add(status);
    await settle();
    expect(bodies()).toBe('queued 1.0, running 1.0, done 1.0');
    add('done');
    await settle();
    expect(bodies()).toBe('queued 1.0, running 1.0, done 1.0');
  });

  it.each([200, 299])('is done with an answer of %i', async (status) => {
    const { add, warned, put } = delivering([status]);
    add('done');
    await settle();
    expect([warned, put]).toEqual([[], ['1 done']]);
  });

  it('tries again after 1.1 s, 5.5 s and 27.5 s, and then gives up', async () => {
    const { add, sent, clock, warned, put } = delivering([199, 300, 503, 404]);
    add('done');
    for (const [count, pause] of [
      [1, 1_100],
      [2, 5_500],
      [3, 27_500],
    ] as const) {
      await settle();
      clock.advance(pause - 1);
      await settle();
      expect(sent).toHaveLength(count);
      clock.advance(1);
    }
    await settle();
    expect([sent.length, warned, put]).toEqual([
      ...[4, ['A push notification of req-1 was given up: its receiver answered 404.'], ['1 done']],
    ]);
  });

  it.each(['not_a_url', 'not_https', 'blocked_port', 'blocked_address'] as OutboundReason[])(
    'does not try again where it may not send: %s',
    async (reason) => {
      const { add, sent, warned } = delivering([new OutboundError(reason, 'Not there.')]);
      add('done');
      await settle();
      expect([sent.length, warned]).toEqual([1, ['A push notification of req-1 was given up: Not there.']]);
    },
  );

  it('does not try again where the receiver is gone for good, and does where it was not reached', async () => {
    const gone = delivering([410]);
    gone.add('done');
    await settle();
    expect([gone.sent.length, gone.warned.length]).toEqual([1, 1]);
    const away = delivering([new OutboundError('unreachable', 'Away.')]);
    away.add('done');
    await settle();
    away.clock.advance(1_100);
    await settle();
    expect([away.sent.length, away.warned]).toEqual([2, []]);
  });

  it('warns of what it did not expect, and goes on with the next', async () => {
    const { add, warned, sent } = delivering([new Error('broken'), 'x' as unknown as Error]);
    add('running');
    await settle();
    add('queued');
    await settle();
    add('done');
    await settle();
    expect(warned).toEqual([
      'A push notification of req-1 could not be sent: broken',
      'A push notification of req-1 could not be sent: unknown',
    ]);
    expect(sent).toHaveLength(3);
  });

  it('stops at once, also between two attempts', async () => {
    const { add, delivery, sent, clock, put } = delivering([503]);
    add('done');
    await settle();
    delivery.stop();
    await settle();
    clock.advance(60_000);
    await settle();
    add('running');
    await settle();
    expect([sent.length, put]).toEqual([1, []]);
  });
});

describe('push notifications', () => {
  /** Push notifications of the tasks `asks`, over a real store and real secrets. */
  function notifying(asks: Record<string, Ask> = { 'req-1': anAsk() }) {
    const clock = new FakeClock();
    const store = aStore();
    const { secrets, state, read } = someSecrets();
    const told: string[] = [];
    const stops: string[] = [];
    let listener: (one: { member: string; request_id: string }) => void = () => undefined;
    const getOwn = (_member: string, id: string) => {
      const ask = asks[id];
      if (!ask) throw unknownId('request', id);
      return ask;
    };
    const parts = {
      ...{ clock, store, secrets, loopback: () => new Set<string>(), resolve: async () => ['93.184.215.14'] },
      asks: {
        getOwn,
        onChanged: (given: typeof listener) => {
          listener = given;
          return () => stops.push('asks');
        },
      },
      delivery: {
        add: ({ config_id }: PushConfigRow, { status }: Ask) => told.push(`${config_id} ${status}`),
        stop: () => stops.push('delivery'),
      },
    };
    const pushes = new PushNotifications(parts as unknown as PushNotificationsParts);
    const put = (id: string, secret?: object, version: '1.0' | '0.3' = '1.0', request_id = 'req-1') =>
      pushes.put(getOwn('guide', request_id), { id, url: 'https://u', secret } as never, version);
    const change = (request_id: string) => listener({ member: 'guide', request_id });
    return { pushes, put, store, secrets, state, read, told, stops, change, asks, clock };
  }

  it('are set with an id or the one of the task, and their secrets are told once', async () => {
    const { put, pushes, read, told, store } = notifying();
    const secret = { token: 't', scheme: 'Bearer', credentials: 'c' };
    const base = { tenant: '', taskId: 'req-1', url: 'https://u' };
    expect(await put('hook', secret)).toEqual({
      ...{ ...base, id: 'hook', token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } },
    });
    expect(await put('', { scheme: 'Basic' }, '0.3')).toMatchObject({
      ...{ id: 'req-1', token: '', authentication: { scheme: 'Basic', credentials: '' } },
    });
    const bare = { ...base, token: '', authentication: undefined };
    expect(pushes.get('req-1', 'hook')).toEqual({ ...bare, id: 'hook' });
    expect(pushes.get('req-1', '').id).toBe('req-1');
    expect(pushes.list('req-1')).toEqual([
      { ...bare, id: 'hook' },
      { ...bare, id: 'req-1' },
    ]);
    expect(read()).toEqual({ 'req-1/hook': secret, 'req-1/req-1': { scheme: 'Basic' } });
    expect(store.listByRequest('req-1').map(({ version, member }) => `${version} ${member}`)).toEqual([
      ...['1.0 guide', '0.3 guide'],
    ]);
    expect(told).toEqual(['hook queued', 'req-1 queued']);
    expect(() => pushes.get('req-1', 'x')).toThrow('This task has no such push notification configuration.');
  });

  it('are at most eight of a task, of which one can be replaced', async () => {
    const { put } = notifying();
    for (let count = 0; count < 8; count += 1) await put(`hook-${count}`);
    await expect(put('more')).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'A task takes at most 8 push notification configurations.' },
    });
    await put('hook-3');
  });

  it('without a secret are set also while git tracks the credentials', async () => {
    const { put, state, store } = notifying();
    state.mayWrite = false;
    await put('bare');
    await expect(put('secret', { token: 't' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(store.list().map(({ config_id }) => config_id)).toEqual(['bare']);
  });

  it('follow the changes of their task, to all that were set for it', async () => {
    const { put, told, change, asks, pushes, stops } = notifying({
      'req-1': anAsk(),
      'req-2': anAsk('queued', 'req-2'),
    });
    await put('a');
    await put('b');
    await put('c', undefined, '1.0', 'req-2');
    told.length = 0;
    asks['req-1'] = anAsk('running');
    change('req-1');
    delete asks['req-3'];
    change('req-3');
    expect(told).toEqual(['a running', 'b running']);
    pushes.stop();
    pushes.stop();
    expect(stops).toEqual(['asks', 'delivery', 'delivery']);
  });

  it('are forgotten with their secrets, by id and by member', async () => {
    const { put, pushes, read, store } = notifying();
    await put('a', { token: 't' });
    await put('', { token: 't' });
    await put('c', { token: 't' });
    await pushes.delete('req-1', '');
    await pushes.delete('req-1', 'x');
    expect(Object.keys(read())).toEqual(['req-1/a', 'req-1/c']);
    await pushes.delete('req-1', 'a');
    expect(Object.keys(read())).toEqual(['req-1/c']);
    await pushes.forgetMember('clerk');
    expect(store.list()).toHaveLength(1);
    await pushes.forgetMember('guide');
    expect([store.list(), read()]).toEqual([[], {}]);
  });

  it('that wait are sent at the start, unless they were or their task is gone', async () => {
    const { pushes, store, told, clock } = notifying({ 'req-1': anAsk('done') });
    await store.put(aRow({ config_id: 'new', created_ms: clock.now() }));
    await store.put(aRow({ config_id: 'sent', sent_status: 'done', created_ms: clock.now() }));
    await store.put(aRow({ config_id: 'older', sent_status: 'running', created_ms: clock.now() }));
    await store.put(aRow({ request_id: 'req-9', created_ms: clock.now() }));
    await pushes.start();
    expect(told).toEqual(['new done', 'older done']);
    pushes.stop();
    expect(clock.pending).toBe(0);
  });

  it('are forgotten after 30 days, each hour, with their secrets', async () => {
    const { pushes, store, put, read, clock } = notifying();
    await put('old', { token: 't' });
    clock.step(1);
    await put('young', { token: 't' });
    await pushes.start();
    clock.step(30 * DAY - 3_600_000);
    clock.advance(3_600_000 - 1);
    await settle();
    expect(store.list()).toHaveLength(2);
    clock.advance(1);
    await expect.poll(() => Object.keys(read())).toEqual(['req-1/young']);
    expect(store.list().map(({ config_id }) => config_id)).toEqual(['young']);
    pushes.stop();
  });
});
