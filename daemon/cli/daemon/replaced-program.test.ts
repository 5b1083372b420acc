import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { daemon, meshd, PROGRAM } from '../../testing/processes/command-line.js';

const INSTALLED = sha256Hex(readFileSync(join(dirname(PROGRAM), 'daemon.cjs')));
const SENTENCE =
  'The daemon runs another build of meshd than the one that is installed: `meshd down && meshd up` starts that one.';

/** Starts a daemon that says it runs the program with this digest. */
async function running(sha256: string | undefined): Promise<string> {
  const { root } = await daemon();
  const path = join(root, '.mesh/state/daemon.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), program_sha256: sha256 }));
  chmodSync(path, 0o600);
  return root;
}

async function outputs(root: string) {
  const json = async (command: string) => JSON.parse((await meshd(root, command, '--json')).out);
  const { checks } = await json('doctor');
  return {
    up: (await meshd(root, 'up')).err.includes(SENTENCE),
    status: (await meshd(root, 'status')).err.includes(SENTENCE),
    ofUp: (await json('up')).replaced,
    ofStatus: (await json('status')).replaced,
    doctor: checks.find(({ id }: { id: string }) => id === 'daemon'),
  };
}

it('is told by up, status and doctor, with what to do', async () => {
  expect(await outputs(await running('0'.repeat(64)))).toEqual({
    up: true,
    status: true,
    ofUp: true,
    ofStatus: true,
    doctor: expect.objectContaining({
      state: 'warn',
      found: expect.stringMatching(/^pid \d+ at \S+ runs another build of meshd than the one that is installed$/),
      fix: 'meshd down && meshd up',
    }),
  });
});

it.each([INSTALLED, undefined])('is not told of a daemon whose program is %s', async (sha256) => {
  expect(await outputs(await running(sha256))).toEqual({
    up: false,
    status: false,
    ofUp: undefined,
    ofStatus: undefined,
    doctor: expect.objectContaining({ state: 'ok' }),
  });
});
