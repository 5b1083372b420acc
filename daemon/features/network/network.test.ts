import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NetworkMembers, NetworkStatus } from '../../contract/shared/network.js';
import { systemClock } from '../../lib/time/clock.js';
import { testApp } from '../../testing/apps/test-app.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { findNetwork } from './find-network.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';
import { describePromise, getFsync } from './network-status.js';

it.each([
  ['nats://nats.example.com', '"nats://nats.example.com" is another machine, which needs TLS: write tls://'],
  ['nats://10.0.0.5:4222', 'needs TLS'],
  ['http://127.0.0.1:4222', '"http://127.0.0.1:4222" is not the address of a NATS server'],
  ['tls://me:secret@nats.example.com', '"tls://…@nats.example.com" holds a user or password'],
  ['tls://nats.example.com/path', 'must end after the port'],
  ['nats://127.0.0.1,tls://nats.example.com', 'cannot be mixed'],
])('refuses %s as an address, and says what is right', (typed, message) => {
  expect(() => parseNatsAddress(typed)).toThrow(message);
});

it('takes servers of this machine without TLS, and others with it', () => {
  expect(parseNatsAddress('nats://127.0.0.1, nats://[::1]:4333')).toEqual({
    servers: ['127.0.0.1:4222', '[::1]:4333'],
    isLoopback: true,
  });
  expect(parseNatsAddress('tls://a.example:4222,tls://b.example')).toEqual({
    servers: ['a.example:4222', 'b.example:4222'],
    isLoopback: false,
  });
});

it('promises no more than the servers keep', () => {
  expect([getFsync('2.9.10'), getFsync('2.12.0'), getFsync('3.0.1')]).toEqual(['periodic', 'unknown', 'unknown']);
  expect(describePromise(3, 'periodic')).toContain('any one machine, not a power failure');
  expect(describePromise(1, 'unknown')).toContain('not the loss of its machine');
});

/** The text of a `.creds` file, as an operator of NATS servers gives it out. */
function nkeyCredentials(): string {
  const seed = Buffer.from(nkeys.createUser().getSeed()).toString();
  return `-----BEGIN NATS USER JWT-----\nheader.claims.sig\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
}

describe.skipIf(!hasNatsServer)(`a daemon in a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  it('creates a network, is found in it by another daemon, and leaves it', async () => {
    const [one, other] = [await testApp(), await testApp()];
    // The clock of a command is compared with that of the server.
    for (const { clock } of [one, other]) clock.step(Date.now() - clock.now());
    expect(await one.call('GET', '/network')).toMatchObject({ status: 200, body: { state: 'off', network: null } });
    const entry = { url: servers.url, network: 'docks', credentials: nkeyCredentials() };
    const created = await one.call('POST', '/network', { ...entry, name: 'Quay' });
    expect(created).toMatchObject({
      status: 200,
      body: { network: 'docks', replicas: 1, problem: null },
    });
    await expect
      .poll(async () => (await one.call('GET', '/network')).body)
      .toMatchObject({ state: 'following', lag: 0 });
    expect(statSync(join(one.root, '.mesh/credentials/network.creds')).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(created)).not.toContain('SEED');
    expect(await other.call('POST', '/network', { url: servers.url, network: 'docks' })).toMatchObject({
      status: 409,
      body: { error: 'slug_taken' },
    });
    expect(await other.call('PUT', '/network', { url: servers.url, network: 'reef' })).toMatchObject({
      status: 404,
      body: { message: 'The servers have no network "reef": create it, or check the name.' },
    });
    expect(await other.call('PUT', '/network', { url: servers.url, name: 'Pier' })).toMatchObject({ status: 200 });
    await expect
      .poll(async () => {
        const body: NetworkMembers = (await one.call('GET', '/network/members')).body;
        return body.members.map(({ name, self, present }) => [name, self, present]).sort();
      })
      .toEqual([
        ['Pier', false, true],
        ['Quay', true, true],
      ]);
    expect(await other.call('DELETE', '/network')).toMatchObject({ status: 200, body: { state: 'off' } });
    await expect
      .poll(async () => {
        const body: NetworkMembers = (await one.call('GET', '/network/members')).body;
        return body.members.find(({ name }) => name === 'Pier')?.present;
      })
      .toBe(false);
    expect(await one.call('PUT', '/network', { url: servers.url })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('leave it first') },
    });
  });

  it('is in no network that it could not finish, which is gone from the servers', async () => {
    const user = nkeys.createUser();
    const config = join(temporaryFolder(), 'nats.conf');
    const denied = '["$JS.API.STREAM.CREATE.OBJ_MESHD_docks"]';
    writeFileSync(
      config,
      `authorization { users: [{ nkey: ${user.getPublicKey()}, permissions: { publish: { deny: ${denied} } } }] }\n`,
    );
    const strict = await NatsServers.start(1, undefined, config);
    onTestFinished(() => strict.stop());
    const app = await testApp();
    app.clock.step(Date.now() - app.clock.now());
    const credentials = Buffer.from(user.getSeed()).toString();
    const entry = { url: strict.url, network: 'docks', credentials };
    for (const _ of ['once', 'again'])
      expect(await app.call('POST', '/network', entry)).toMatchObject({
        status: 503,
        body: {
          message: expect.stringContaining('not created: the servers did not take its first snapshot (Permission'),
        },
      });
    expect((await app.call('GET', '/network')).body).toMatchObject({ state: 'off', network: null });
  });

  it('is joined, followed and left with the permissions that are listed', async () => {
    const [owner, member] = [nkeys.createUser(), nkeys.createUser()];
    const config = join(temporaryFolder(), 'nats.conf');
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const [publish = '', subscribe = ''] = Array.from(readme.matchAll(/```text\n([^`]+)\n```/g), ([, text]) => text);
    const list = (text: string) => JSON.stringify(text.replaceAll('<network>', 'docks').split(/\s+/));
    const permissions = `{ publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} } }`;
    const users = `{ nkey: ${owner.getPublicKey()} }, { nkey: ${member.getPublicKey()}, permissions: ${permissions} }`;
    writeFileSync(config, `authorization { users: [${users}] }\n`);
    const strict = await NatsServers.start(1, undefined, config);
    onTestFinished(() => strict.stop());
    const [one, other] = [await testApp(), await testApp()];
    for (const { clock } of [one, other]) clock.step(Date.now() - clock.now());
    const entry = (user: typeof owner) => ({
      ...{ url: strict.url, network: 'docks', credentials: Buffer.from(user.getSeed()).toString() },
    });
    expect(await one.call('POST', '/network', entry(owner))).toMatchObject({ status: 200 });
    expect(await other.call('PUT', '/network', entry(member))).toMatchObject({ status: 200 });
    const status = async () => (await other.call('GET', '/network')).body;
    await expect.poll(status, { timeout: 10_000 }).toMatchObject({ state: 'following', problem: null });
    expect(await other.call('DELETE', '/network')).toMatchObject({ status: 200 });
  });

  it('goes on with new credentials once its servers refuse the old ones', async () => {
    const [old, next] = [nkeys.createUser(), nkeys.createUser()];
    const config = join(temporaryFolder(), 'nats.conf');
    const admit = (user: typeof old) =>
      writeFileSync(config, `authorization { users: [{ nkey: ${user.getPublicKey()} }] }\n`);
    admit(old);
    const strict = await NatsServers.start(1, undefined, config);
    onTestFinished(() => strict.stop());
    const app = await testApp();
    app.clock.step(Date.now() - app.clock.now());
    const enter = (user: typeof old, method: 'POST' | 'PUT') =>
      app.call(method, '/network', {
        ...{ url: strict.url, network: 'docks', credentials: Buffer.from(user.getSeed()).toString() },
      });
    expect(await enter(old, 'POST')).toMatchObject({ status: 200 });
    await strict.kill('n1');
    admit(next);
    await strict.startOne('n1');
    const status = async () => (await app.call('GET', '/network')).body;
    await expect.poll(status, { timeout: 10_000 }).toMatchObject({ problem: expect.stringContaining('--creds') });
    expect(await enter(old, 'PUT')).toMatchObject({ status: 403 });
    expect(await enter(next, 'PUT')).toMatchObject({ status: 200, body: { network: 'docks' } });
    await expect.poll(status, { timeout: 10_000 }).toMatchObject({ network: 'docks', problem: null });
  });

  it('is created by one of two daemons that create it at once', async () => {
    const address = parseNatsAddress(servers.url);
    const create = async () => {
      const connection = await openNats({ address, credentials: undefined, name: 'test' });
      onTestFinished(() => connection.close());
      return findNetwork(connection, systemClock, 'race', true);
    };
    const ended = await Promise.allSettled([create(), create()]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'slug_taken' } });
  });

  it('refuses a file that holds no credentials, without quoting it', async () => {
    const app = await testApp();
    const reply = await app.call('PUT', '/network', { url: servers.url, credentials: 'a private text' });
    expect(reply).toMatchObject({ status: 400, body: { path: 'credentials' } });
    expect(reply.text).not.toContain('private');
  });

  it('says at once when no server answers, and keeps nothing of it', async () => {
    const app = await testApp();
    const gone = await NatsServers.start(1);
    await gone.stop();
    expect(await app.call('PUT', '/network', { url: gone.url, credentials: nkeyCredentials() })).toMatchObject({
      status: 503,
      body: { error: 'network_unavailable', message: expect.stringContaining('No connection to 127.0.0.1:') },
    });
    expect(() => statSync(join(app.root, '.mesh/credentials/network.creds'))).toThrow('ENOENT');
  });

  it('returns to its network after a restart, also when the servers start later', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const app = await testApp();
    app.clock.step(Date.now() - app.clock.now());
    await app.call('POST', '/network', { url: lone.url, network: 'team' });
    await app.daemon.stop();
    await lone.kill('n1');
    const again = await testApp({ root: app.root });
    again.clock.step(Date.now() - again.clock.now());
    expect(await again.call('GET', '/network')).toMatchObject({ body: { state: 'connecting', network: 'team' } });
    await lone.startOne('n1');
    await expect
      .poll(async () => {
        again.clock.advance(2_000);
        return ((await again.call('GET', '/network')).body as NetworkStatus).state;
      })
      .toBe('following');
  });
});
