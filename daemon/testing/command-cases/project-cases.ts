import { expect } from 'vitest';
import type { CommandCase } from './command-case.js';

const text = expect.any(String);

/** Cases without a daemon, in a project of revision 28. */
export const WITHOUT_DAEMON: readonly CommandCase[] = [
  { command: 'status', exit: 3, out: /^No daemon runs for /, json: { running: false, root: text } },
  { command: 'down', out: 'No daemon was running.\n', json: { stopped: false, pid: null } },
  {
    command: 'upgrade',
    out: /^Raised .*STANDARD_VERSION from 28 to 30\.\n$/,
    json: { before: 30, revision: 30, changed: false },
  },
  {
    command: 'doctor',
    exit: 3,
    out: /^✗ Daemon: not running\n {4}→ meshd up$/m,
    err: '`meshd doctor --fix` fixes some of it.\n',
    json: { ok: false, checks: expect.any(Array) },
  },
  {
    command: 'backup',
    args: ({ kept: known }, turn) => [`${known['folder']}/${turn}.tar.gz`],
    out: /^\/.*\/plain\.tar\.gz\n$/,
    err: /^There is no database here: only files are kept\.\nWriting 1 file\.\nReading it again\.\n$/,
    json: { files: 1, schema: null, credentials: false, left_out: [] },
  },
  {
    command: 'restore',
    args: ({ kept: known }, turn) => (turn === 'plain' ? [`${known['folder']}/plain.tar.gz`] : ['--undo']),
    out: /^Restored 1 file of \S+ as of \S+\.\n$/,
    err: /^Checking the backup\.\n.*\n.*\nWhat was there is in \.mesh\/state\/before-restore-/,
    json: { backup: null, aside: text },
  },
  {
    command: 'completion',
    args: () => ['bash'],
    out: /^complete -F _meshd meshd$/m,
    json: { shell: 'bash', script: text },
  },
  {
    command: 'help',
    args: () => ['ask'],
    out: /^Usage: meshd ask /,
    json: { command: 'meshd ask', arguments: [{ name: 'member' }, { name: 'question' }] },
  },
];

/** Cases about the daemon's own process. */
export const PROCESS: readonly CommandCase[] = [
  {
    command: 'up',
    args: (_, turn) => (turn === 'plain' ? ['--port', '0'] : []),
    out: /^http:\/\/127\.0\.0\.1:\d+\n$/,
    err: /Roster +9 members.*\n(.*\n)* {2}Daemon +started, pid \d+/,
    json: { started: false, members: 9, address: text },
  },
  { command: 'status', out: /^Address +http:\/\/127\.0\.0\.1:\d+\n/, json: { running: true, ok: true, members: 9 } },
  {
    command: 'open',
    out: /^http:\/\/127\.0\.0\.1:\d+\n$/,
    err: /^No display here/,
    json: { opened: false, address: text },
  },
  { command: 'down', out: /^Stopped \(pid \d+\)\.\n$/, json: { stopped: false, pid: null } },
];

/** Cases about the roster, with an agent of another tool in the project. */
export const TEAM: readonly CommandCase[] = [
  {
    command: 'team ls',
    rows: 'members',
    out: /^MEMBER +KIND +EXPOSURE.*\n(.*\n)*consultant /,
    json: { count: 9, members: expect.any(Array) },
  },
  {
    command: 'team show',
    args: () => ['consultant'],
    out: /^Id +consultant\n/,
    json: { id: 'consultant', body: text },
  },
  {
    command: 'team draft',
    args: () => ['Keeps the log'],
    out: /^Id +\S+\nName /,
    err: /./,
    json: { id: text, body: text, warnings: expect.any(Array) },
  },
  {
    command: 'team new',
    args: (_, turn) => [turn === 'plain' ? 'logger' : 'logger-2', '--set', 'name=Logger'],
    out: 'Added logger: .mesh/team/logger.md\n',
    json: { id: 'logger-2', name: 'Logger' },
  },
  {
    command: 'team edit',
    args: () => ['logger', '--set', 'effort=high'],
    out: 'Changed effort of logger.\n',
    json: { id: 'logger', effort: 'high' },
  },
  {
    command: 'team expose',
    args: () => ['logger'],
    out: /^logger is exposed: programs on this machine that have its token can ask it/,
    err: /export MEMBER_TOKEN="\$\(meshd token show logger\)"/,
    json: { id: 'logger', exposure: 'external' },
  },
  { command: 'card', args: () => ['logger'], out: /^\{\n {2}"/, json: { name: 'Logger' } },
  {
    command: 'token show',
    args: () => ['logger'],
    out: /^mk_[\w-]{43}\n$/,
    json: { id: 'logger', token: expect.stringMatching(/^mk_/) },
  },
  {
    command: 'token rotate',
    args: () => ['logger'],
    out: /^mk_[\w-]{43}\n$/,
    err: 'The old token stopped working now.\n',
    json: { token: expect.stringMatching(/^mk_/) },
  },
  {
    command: 'token revoke',
    args: () => ['logger'],
    out: 'logger is internal: its token no longer works.\n',
    json: { exposure: 'internal' },
  },
  {
    command: 'team hide',
    args: () => ['logger'],
    out: 'logger is internal: its token no longer works.\n',
    json: { exposure: 'internal' },
  },
  {
    command: 'team test',
    args: (_, turn) => [turn === 'plain' ? 'logger' : 'consultant', '--init'],
    out: 'Wrote .mesh/asks/logger.md with 2 questions.\n',
    err: /`meshd team test logger`/,
    json: { id: 'consultant', exists: true, tests: expect.any(Array) },
  },
  {
    command: 'team rm',
    args: (_, turn) => [turn === 'plain' ? 'logger' : 'logger-2', '--yes'],
    out: 'Removed logger.\n',
    err: /A copy is in/,
    json: { ok: true, deleted: 'logger-2' },
  },
  {
    command: 'team restore',
    args: async ({ meshd }) => {
      await meshd(['team', 'rm', 'commit-pr-reviewer', '--yes']);
      return ['commit-pr-reviewer'];
    },
    out: 'Restored commit-pr-reviewer.\n',
    json: { id: 'commit-pr-reviewer', state: 'ok' },
  },
  {
    command: 'team import',
    out: /^ *scribe +new +\.claude\/agents\/scribe\.md/m,
    err: /imports 1/,
    json: { count: 1, found: [{ id: 'scribe', state: 'new' }] },
  },
  { command: 'team drift', out: '', err: /matches its source/, json: { count: 0 } },
  {
    command: 'team export',
    args: () => ['consultant', '--to', 'claude'],
    out: /^---\nname: consultant\n/,
    err: /^\.claude\/agents\/consultant\.md: new\. --write writes it\.$/m,
    json: { files: [{ id: 'consultant', state: 'new' }] },
  },
];
