import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NetworkStatus } from '../../contract/shared/network.js';
import { DaemonProcess } from '../../testing/processes/daemon-process.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Makes an authority and a certificate of it for 127.0.0.1. Returns the paths of their files. */
function makeCertificate() {
  const folder = temporaryFolder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority of a test');
  openssl(
    ...['req', '-x509', ...fresh, '-keyout', 'server.key', '-out', 'server.pem', '-subj', '/CN=nats'],
    ...['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  return { authority: join(folder, 'ca.pem'), cert: join(folder, 'server.pem'), key: join(folder, 'server.key') };
}

async function startDaemon(environment: Record<string, string>): Promise<DaemonProcess> {
  const own = { PATH: process.env['PATH'], HOME: temporaryFolder() };
  const daemon = await DaemonProcess.start(temporaryFolder(), { ...own, ...environment });
  onTestFinished(() => daemon.stop());
  return daemon;
}

it.skipIf(!hasNatsServer || !hasOpenssl)(
  `servers with TLS are followed by a daemon that trusts their certificate, and by no other${NATS_NEEDED}`,
  async () => {
    const { authority, ...own } = makeCertificate();
    const servers = await NatsServers.start(1, own);
    onTestFinished(() => servers.stop());
    const [trusting, other] = await Promise.all([startDaemon({ NODE_EXTRA_CA_CERTS: authority }), startDaemon({})]);
    const network = { url: servers.url, network: 'docks' };
    await expect(other.call('POST', '/network', network)).rejects.toThrow(
      /gave 503: .*network_unavailable.*NODE_EXTRA_CA_CERTS/,
    );
    const made = await trusting.call<NetworkStatus>('POST', '/network', network);
    expect(made).toMatchObject({ network: 'docks', url: servers.url, replicas: 1 });
    await trusting.call('DELETE', '/network');
    const named = servers.url.replace('127.0.0.1', 'localhost');
    await expect(trusting.call('PUT', '/network', { url: named })).rejects.toThrow(/does not match certificate/);
  },
);

it('nothing is sent to a server that does not encrypt, where TLS was asked for', async () => {
  let received = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.toString();
    });
    socket.write('INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const opened = openNats({
    address: parseNatsAddress(`tls://127.0.0.1:${port}`),
    ...{ credentials: undefined, name: 'a test' },
  });
  await expect(opened).rejects.toMatchObject({ code: 'network_unavailable' });
  expect(received).toBe('');
});
