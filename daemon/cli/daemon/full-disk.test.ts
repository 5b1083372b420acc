import { execFile, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

/** A mount namespace of its own: the file system is seen by the script alone, and is gone when its processes are. */
const ALONE = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const canMount = spawnSync('unshare', [...ALONE, 'mount -t tmpfs tmpfs /mnt']).status === 0;
const BEGIN = `mount -t tmpfs -o size="$1" tmpfs "$2" && cd "$2" && mkdir .mesh || exit 1
fill() { dd if=/dev/zero of=fill bs=1k 2>/dev/null; dd if=/dev/zero of=rest bs=1 count=4096 2>/dev/null; }
meshd() { "$node" "$program" "$@" --json 2>"$home/err"; echo "exit $?"; cat "$home/err"; }`;

/** Runs `script` in a project that has a file system of that size to itself. Returns its lines. */
function onOwnDisk(size: string, script: string): Promise<string[]> {
  const home = temporaryFolder();
  const args = [...ALONE, `${BEGIN}\n${script}`, 'sh', size, temporaryFolder()];
  const env = { node: process.execPath, program: PROGRAM, home, HOME: home, PATH: process.env['PATH'] };
  return new Promise((resolve) => {
    execFile('unshare', args, { env }, (_, out, err) => resolve(`${err}${out}`.trim().split('\n')));
  });
}

const refusal = (message: string) => JSON.stringify({ error: 'no_space', message });

describe.skipIf(!canMount)('up, settings and backup on a full disk say so (needs unshare and tmpfs)', () => {
  it.each(['64k', '700k'])('up, when %s are all that there is', async (size) => {
    expect(await onOwnDisk(size, 'meshd up --port 0')).toEqual([
      expect.stringMatching(
        /^\{"error":"no_space","message":"The disk that holds \S+ is full: free some space, then start again\."\}$/,
      ),
      'exit 78',
    ]);
  });

  it('settings, and backup when the daemon has no room for its copy or the file has none', async () => {
    const lines = await onOwnDisk(
      '48m',
      `meshd up --port 0 >/dev/null; fill; echo full
      meshd telemetry set http://127.0.0.1:4318; meshd backup "$home/a.tar.gz"
      rm fill rest; mkdir tiny; mount -t tmpfs -o size=8k tmpfs tiny; echo small
      meshd backup tiny/b.tar.gz; meshd down >/dev/null; meshd backup tiny/b.tar.gz; ls tiny`,
    );
    const full = refusal('The disk is full: free some space and send the request again.');
    const here = refusal('The disk is full: free some space, then run the command again.');
    expect(lines).toEqual([...['full', full, 'exit 1', full, 'exit 1'], ...['small', here, 'exit 1', here, 'exit 1']]);
  });
});
