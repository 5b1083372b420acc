import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemon, meshd, PROGRAM } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { SHELLS, type Shell } from './completion-scripts.js';

/** Hostile names. Each would create the file `broken` if a shell read it as anything but a word. */
const NAMES = {
  h1: 'h1 $(touch broken) `touch broken`',
  h2: "h2' ; touch broken ; '",
  h3: 'h3" && touch broken # !! "',
  h4: 'h4 * ~ {a,b} \\ !',
  h5: 'h5:solana:main',
  h6: 'h6\n; touch broken',
} as const;
/** A name with a line break cannot be typed and is not offered. */
const OFFERED = ['h1', 'h2', 'h3', 'h4', 'h5'] as const;

/**
 * Starts the daemon of a project, with a `meshd` on the PATH that answers shells with the built program and otherwise
 * only records its arguments: each completed line is run, and the recorded arguments are compared.
 */
async function aDesk(
  shell: Shell,
): Promise<{ root: string; type: (lines: string[]) => Promise<string>; called: () => string[][] }> {
  const { root } = await daemon();
  const clusters = Object.values(NAMES).map((name, index) => [
    `c_${String(index).padStart(20, '0')}`,
    { name, visibility: 'private', token: `ck_${'x'.repeat(43)}` },
  ]);
  putFiles(root, {
    '.mesh/credentials/clusters.json': JSON.stringify(Object.fromEntries(clusters)),
    'receipt.json': '{}',
  });
  const bin = temporaryFolder({
    meshd: `#!/bin/sh
case "$1" in
  __complete*) exec ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@" ;;
  *) { printf '%s\\0' "$@"; printf '\\001'; } >> "\${0%/*}/called" ;;
esac
`,
    script: (await meshd(root, 'completion', shell)).out,
  });
  chmodSync(join(bin, 'meshd'), 0o755);
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    HOME: bin,
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
    MESHD_COMPLETE_MS: '30000',
    SCRIPT: join(bin, 'script'),
  };
  return {
    root,
    type: (lines) => typeInto(shell, lines, root, environment),
    called: () =>
      existsSync(join(bin, 'called'))
        ? readFileSync(join(bin, 'called'), 'utf8')
            .split('\u0001')
            .slice(0, -1)
            .map((call) => call.split('\0').slice(0, -1))
        : [],
  };
}

/** zsh completes only at a terminal, which its zpty module provides. */
const ZSH_DRIVER = `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PS1=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source $SCRIPT; print rea""dy'
zpty -r inner said '*ready*'
while IFS= read -r line; do
  zpty -w inner "\${(g::)line}"
done
zpty -w inner exit
while zpty -r inner said; do print -rn -- "$said"; done
`;

/** Types `lines` into a shell, ends it, and resolves with its output. A tab in a line is a press of the Tab key. */
function typeInto(shell: Shell, lines: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const text = lines.map((line) => `${line}\n`).join('');
  const [args, input] = {
    bash: [['--norc', '--noprofile', '-i'], `source "$SCRIPT"\n${text}`],
    zsh: [['-f', '-c', ZSH_DRIVER], text.replaceAll('\t', '\\t')],
    fish: [['--no-config', '-c', `source $SCRIPT\n${text}`], ''],
  }[shell] as [string[], string];
  const child = spawn(shell, args, { cwd, env, stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}

/** fish has no terminal here: this runs the line that its completion makes of `line`. */
const completedByFish = (line: string) =>
  `eval "${line.replace(/\S*$/, '')}"(complete --escape -C ${JSON.stringify(line)} | string split -f 1 \\t)[1]`;

const isThere = (shell: Shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** Additional lines for bash, which passes its line unparsed: open quotes, and positions where it breaks a word. */
const IN_BASH: readonly (readonly [line: string, called: readonly string[]])[] = [
  ['meshd cluster show "h1\t', ['cluster', 'show', NAMES.h1]],
  ["meshd cluster show 'h2\t", ['cluster', 'show', NAMES.h2]],
  ['meshd cluster show "h3\t', ['cluster', 'show', NAMES.h3]],
  ['meshd cluster show h5:sol\t', ['cluster', 'show', NAMES.h5]],
  ['meshd requests ls --status=need\t', ['requests', 'ls', '--status=needs_input']],
];

describe.each(SHELLS)('completion in %s', (shell) => {
  const isMissing = !isThere(shell);
  if (isMissing) console.warn(`${shell} is not installed: its completion is not tried here.`);

  it.skipIf(isMissing)(
    'inserts untrusted names unchanged, and executes nothing in them',
    async () => {
      const line = (start: string) => (shell === 'fish' ? completedByFish(start) : `${start}\t`);
      const typed: readonly (readonly [line: string, called: readonly string[]])[] = [
        ...OFFERED.map((prefix) => [line(`meshd cluster show ${prefix}`), ['cluster', 'show', NAMES[prefix]]] as const),
        [line('meshd ask --wai'), ['ask', '--wait']],
        [line('meshd requests ls --status need'), ['requests', 'ls', '--status', 'needs_input']],
        [line('meshd team show consul'), ['team', 'show', 'consultant']],
        [line('meshd verify recei'), ['verify', 'receipt.json']],
        ...(shell === 'bash' ? IN_BASH : []),
      ];
      const { root, type, called } = await aDesk(shell);
      const output = await type(typed.map(([text]) => text));
      expect(called(), output).toEqual(typed.map(([, words]) => words));
      expect(existsSync(join(root, 'broken'))).toBe(false);
    },
    180_000,
  );
});

describe('the script of a shell', () => {
  const load = async (shell: Shell, command: string) => {
    const HOME = temporaryFolder({ script: (await meshd(temporaryFolder(), 'completion', shell)).out });
    const env = { HOME, PATH: process.env['PATH'], SCRIPT: join(HOME, 'script') };
    const { stdout, stderr } = spawnSync(shell, ['-c', command], { cwd: HOME, env, encoding: 'utf8' });
    return [stdout, stderr];
  };
  const source = 'source /dev/stdin <<<"$(cat "$SCRIPT")"; complete -p meshd';

  it.skipIf(!isThere('bash'))(
    'loads in bash as the help says, and completes files where compopt is missing',
    async () => {
      expect(await load('bash', source)).toEqual(['complete -F _meshd meshd\n', '']);
      expect(await load('bash', `enable -n compopt; ${source}`)).toEqual(['complete -o default -F _meshd meshd\n', '']);
    },
  );

  it.skipIf(!isThere('zsh'))('loads in a zsh that has not loaded its completion', async () => {
    expect(await load('zsh', 'source <(cat $SCRIPT); print $_comps[meshd]')).toEqual(['_meshd\n', '']);
  });
});
