/**
 * What another program learns of a file in each state that git reports: untracked, added, removed from git again, with
 * a damaged repository, and in a project without git. The operator can read it throughout.
 *
 * `npx tsx scripts/hard/access/untracked-files.ts`
 */
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';

const PLAN = 'The lighthouse keeper paints the zeppelin gold in autumn.';
const QUESTION = 'What does the lighthouse keeper paint in autumn?';
const MEMBER = 'asked';
/** An answer may use a list of tracked files that is two seconds old. */
const LIMIT_MS = 5_000;

interface Answers {
  outside: string;
  operator: string;
}

async function collectAnswers(daemon: DaemonProcess): Promise<Answers> {
  const record = await daemon.ask(MEMBER, await daemon.getToken(MEMBER), { text: QUESTION });
  const file = await callHttp(daemon.address, 'GET', '/project/file?path=plan.md');
  return { outside: JSON.stringify(record), operator: JSON.stringify(file?.body ?? '') };
}

async function started(project: DrillProject): Promise<DaemonProcess> {
  const daemon = await project.start();
  const member = { id: MEMBER, kind: 'profile', client: 'builtin', exposure: 'external', body: 'Answer.' };
  await daemon.call('POST', '/team', member);
  return daemon;
}

await runDrill('untracked-files', async (drill) => {
  const project = drill.project({ 'README.md': '# Lamp\n\nLamp switches the harbour lights on at dusk.\n' });
  const git = (...words: string[]) => execFileSync('git', words, { cwd: project.root, stdio: 'ignore' });
  const gitFolder = join(project.root, '.git');
  project.put('plan.md', `# Plan\n\n${PLAN}\n`);
  const daemon = await started(project);
  const states: [what: string, change: () => unknown, isTold: boolean][] = [
    ['untracked', () => undefined, false],
    ['added', () => git('add', 'plan.md'), true],
    ['removed from git', () => git('rm', '-q', '--cached', 'plan.md'), false],
    ['added again', () => git('add', 'plan.md'), true],
    ['with a damaged git', () => renameSync(join(gitFolder, 'HEAD'), join(gitFolder, 'HEAD.away')), false],
    ['with git mended', () => renameSync(join(gitFolder, 'HEAD.away'), join(gitFolder, 'HEAD')), true],
    ['without git at all', () => rmSync(gitFolder, { recursive: true }), true],
  ];
  for (const [what, change, isTold] of states) {
    await change();
    const isRight = ({ outside, operator }: Answers) =>
      outside.includes('zeppelin') === isTold && operator.includes('zeppelin');
    const { outside, operator } = await until(what, LIMIT_MS, () => collectAnswers(daemon), isRight).catch(() =>
      collectAnswers(daemon),
    );
    const holds = isRight({ outside, operator });
    drill.holds(`a file that is ${what}`, isTold ? 'told to other programs' : 'told to the operator alone', holds);
    if (what === 'with a damaged git')
      drill.holds(
        'that git cannot tell',
        'is said',
        outside.includes('Git cannot tell which files this project tracks'),
      );
  }
});
