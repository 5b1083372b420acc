import { createHmac } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DaemonFile } from '../../contract/daemon-file.js';
import { isValidProof } from '../../lib/crypto/daemon-proof.js';
import { git, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { findDaemon, findRoot, getDaemon, readDaemonFile } from './project.js';

function leaveWord(root: string, file: Partial<DaemonFile>, mode = 0o600): string {
  const folder = join(root, '.mesh/state');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'daemon.json');
  const whole = {
    pid: process.pid,
    port: 1,
    address: 'http://127.0.0.1:1',
    started_at: '',
    version: '0',
    root,
    secret: 'hush',
    ...file,
  };
  ownState(root);
  writeFileSync(path, JSON.stringify(whole));
  chmodSync(path, mode);
  return path;
}

async function listener(answer: RequestListener): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('the root of the project', () => {
  it('is the nearest ancestor folder with a .mesh', () => {
    const folder = temporaryFolder({ '.mesh/team/a.md': '', 'packages/x/src/a.ts': '' });
    git(folder, 'init', '-q');
    expect(findRoot(join(folder, 'packages/x/src'))).toBe(folder);
  });

  it("is git's top level when there is no .mesh", () => {
    const folder = temporaryFolder({ 'src/deep/a.ts': '' });
    git(folder, 'init', '-q');
    expect(findRoot(join(folder, 'src/deep'))).toBe(folder);
  });

  it('is the folder with .mesh, though a repository below it is nearer', () => {
    const folder = temporaryFolder({ '.mesh/team/a.md': '', 'vendor/x/.git/HEAD': '', 'vendor/x/src/a.ts': '' });
    expect(findRoot(join(folder, 'vendor/x/src'))).toBe(folder);
  });

  it('is the top level of a worktree, where .git is a file', () => {
    const folder = temporaryFolder({ '.git': 'gitdir: elsewhere', 'src/a.ts': '' });
    expect(findRoot(join(folder, 'src'))).toBe(folder);
  });

  it('is neither the home folder nor one above it, unless the walk begins there', () => {
    const folder = temporaryFolder({
      '.mesh/x': '',
      'home/.mesh/x': '',
      'home/.git/HEAD': '',
      'home/lamp/src/a.ts': '',
      'home/pier/.git/HEAD': '',
      'home/pier/src/a.ts': '',
    });
    symlinkSync(join(folder, 'home'), join(folder, 'link'));
    vi.stubEnv('HOME', join(folder, 'link'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(findRoot(join(folder, 'home/pier/src'))).toBe(join(folder, 'home/pier'));
    expect(findRoot(join(folder, 'home/lamp/src'))).toBe(join(folder, 'home/lamp/src'));
    expect(findRoot(join(folder, 'home'))).toBe(join(folder, 'home'));
    expect(findRoot(join(folder, 'home/lamp'), '..')).toBe(join(folder, 'home'));
  });

  it.runIf(process.getuid?.() === 0)('is no folder whose .mesh another user made, unless it is named', () => {
    const folder = temporaryFolder({ '.mesh/team/a.md': '', 'experiment/a.ts': '' });
    const start = join(folder, 'experiment');
    chownSync(join(folder, '.mesh'), 54_321, 54_321);
    expect(() => findRoot(start)).toThrow(expect.objectContaining({ exit: 5, code: 'forbidden' }));
    expect(() => findRoot(start)).toThrow('/.mesh belongs to another user (uid 54321).');
    expect(findRoot(start, '..')).toBe(folder);
    chownSync(start, 54_321, 54_321);
    expect(findRoot(start)).toBe(folder);
  });

  it('is the folder of --root with links resolved, and nothing else', () => {
    const folder = temporaryFolder({ 'project/.mesh/x': '', 'other/a': '' });
    symlinkSync(join(folder, 'project'), join(folder, 'link'));
    expect(findRoot(join(folder, 'other'), '../link')).toBe(join(folder, 'project'));
    expect(() => findRoot(folder, 'missing')).toThrow('--root missing is not a folder.');
    expect(() => findRoot(folder, 'other/a')).toThrow('is not a folder');
  });
});

describe('the daemon file', () => {
  it('is undefined where no daemon has run', () => {
    expect(readDaemonFile(temporaryFolder())).toBeUndefined();
  });

  it.each([0o644, 0o640, 0o620, 0o601])(
    'is rejected when others can use it, as one of a clone could be: %o',
    (mode) => {
      const root = temporaryFolder();
      leaveWord(root, {}, mode);
      expect(() => readDaemonFile(root)).toThrow('remove it');
    },
  );

  it('is rejected when it is a folder', () => {
    const root = ownState(temporaryFolder({ '.mesh/state/daemon.json/x': '' }));
    chmodSync(join(root, '.mesh/state/daemon.json'), 0o700);
    expect(() => readDaemonFile(root)).toThrow('remove it');
  });

  it('is rejected when it is a link', () => {
    const root = temporaryFolder({ 'other.json': '{}', '.mesh/state/x': '' });
    ownState(root);
    symlinkSync(join(root, 'other.json'), join(root, '.mesh/state/daemon.json'));
    expect(() => readDaemonFile(root)).toThrow('remove it');
  });

  it.each([
    'http://example.invalid:80',
    'http://127.0.0.1.example.invalid:80',
    'http://127.0.0.1:80/path',
    'https://127.0.0.1:443',
  ])('is ignored when it names %s', (address) => {
    const root = temporaryFolder();
    leaveWord(root, { address });
    expect(readDaemonFile(root)).toBeUndefined();
  });
});

describe('the listener on the port', () => {
  it('is the daemon when it proves that it has the secret', async () => {
    const root = temporaryFolder();
    const { address } = await listener((request, response) => {
      const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
      response.end(
        JSON.stringify({ ok: true, pid: 7, proof: createHmac('sha256', 'hush').update(nonce).digest('hex') }),
      );
    });
    leaveWord(root, { address });
    expect((await getDaemon(root)).health.pid).toBe(7);
  });

  it.each([
    ['answers without proof', (_, response) => response.end('{"ok":true}')],
    ['answers with a proof of its own', (_, response) => response.end(`{"ok":true,"proof":"${'00'.repeat(32)}"}`)],
    ['answers something else', (_, response) => response.writeHead(404).end('<html>')],
    ['sends us on', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ] satisfies [string, RequestListener][])(
    'is another program when it %s, and receives only a nonce',
    async (_, answer) => {
      const root = temporaryFolder();
      const { address, asked } = await listener(answer);
      leaveWord(root, { address });
      await expect(findDaemon(root)).rejects.toMatchObject({ exit: 5, code: 'forbidden' });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatch(/^GET \/health\?nonce=[\w-]{22}$/);
    },
  );

  it('is absent when the daemon has died, and the error says what to do', async () => {
    const root = temporaryFolder();
    leaveWord(root, {});
    expect(await findDaemon(root)).toBeUndefined();
    await expect(getDaemon(root)).rejects.toMatchObject({ exit: 3, message: expect.stringContaining('meshd up') });
  });
});

describe('a daemon that does not respond', () => {
  const silentDaemon = async (answer: RequestListener, pid = process.pid) => {
    const root = temporaryFolder();
    const { address } = await listener(answer);
    leaveWord(root, { address, pid });
    return { root, address };
  };

  it('is distinguished from one that does not run, with its process and what to do', async () => {
    const { root, address } = await silentDaemon(() => undefined);
    await expect(findDaemon(root, 50)).rejects.toMatchObject({
      exit: 3,
      code: 'unreachable',
      details: { reason: 'timed_out', pid: process.pid, address },
      message: expect.stringContaining(`end process ${process.pid}`),
    });
  });

  it('because it rejects connections is reported as such', async () => {
    const { root } = await silentDaemon((request) => void request.socket.destroy());
    await expect(getDaemon(root)).rejects.toMatchObject({
      exit: 3,
      details: { reason: 'broken_off' },
      message: expect.stringContaining('more connections are open than it may have'),
    });
  });

  it('is absent when its process has ended, even if another process uses its port', async () => {
    const { root } = await silentDaemon((request) => void request.socket.destroy(), 2 ** 22 + 1);
    expect(await findDaemon(root, 50)).toBeUndefined();
  });

  it('is absent when nothing listens, and the error names the address', async () => {
    const root = temporaryFolder();
    await expect(getDaemon(root)).rejects.toThrow(`No daemon runs for ${root}: start it with`);
    leaveWord(root, {});
    await expect(getDaemon(root)).rejects.toThrow('nothing listens at http://127.0.0.1:1, where the last one did');
  });
});

it('accepts only the complete proof', () => {
  const proof = createHmac('sha256', 's').update('n').digest('hex');
  expect(isValidProof('s', 'n', proof)).toBe(true);
  expect(isValidProof('s', 'n', proof.slice(2))).toBe(false);
  expect(isValidProof('s', 'm', proof)).toBe(false);
  expect(isValidProof('s', 'n', undefined)).toBe(false);
});
