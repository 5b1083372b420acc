import { createHmac } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { entryName } from '../../lib/project-entry.js';
import { beFound } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { CommandError } from '../exit-codes.js';
import { findNextPort } from './neighbour.js';

const SECRET = 'f'.repeat(64);

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const taken = (port: number) => new CommandError(75, `Port ${port} is taken.`, 'port_taken', { port });

it('is the next port when the daemon on the wanted one is listed only some time after it listens', async () => {
  const root = ownState(temporaryFolder());
  const state = temporaryFolder();
  let looks = 0;
  const port = await listen(({ url = '' }, response) => {
    const nonce = new URL(url, 'http://x').searchParams.get('nonce');
    const proof = nonce === null ? {} : { proof: createHmac('sha256', SECRET).update(nonce).digest('hex') };
    const facts = { version: '1.0.0', project: basename(root), started_at: '2026-01-01T00:00:00Z', root_sha256: 'ab' };
    looks += nonce === null ? 1 : 0;
    if (looks === 2) announce();
    response.end(JSON.stringify({ ...facts, ...proof }));
  });
  const announce = () => {
    const address = `http://127.0.0.1:${port}`;
    beFound({ root, address, daemon: { secret: SECRET } });
    const entry = { name: basename(root), root, address, pid: process.pid, version: '1.0.0', started_at: '' };
    const path = join('meshd/projects', entryName(root));
    putFiles(state, { [path]: JSON.stringify(entry) });
    chmodSync(join(state, path), 0o600);
  };
  expect(await findNextPort(taken(port), undefined, { XDG_STATE_HOME: state }, temporaryFolder())).toEqual({
    port: port + 1,
    neighbour: { port, project: expect.objectContaining({ root }) },
  });
});

it('is none beside another program', async () => {
  const port = await listen((_request, response) => response.end('{}'));
  const variables = { XDG_STATE_HOME: temporaryFolder() };
  expect(await findNextPort(taken(port), undefined, variables, temporaryFolder())).toBeUndefined();
});
