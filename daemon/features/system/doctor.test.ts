import { describe, expect, it } from 'vitest';
import type { ClientList } from '../../contract/clients.js';
import type { KnowledgeStatus } from '../../contract/system.js';
import type { Member } from '../../contract/team.js';
import { examine } from './doctor.js';

type Findings = Parameters<typeof examine>[0];

const STRUCTURE: KnowledgeStatus['structure'] = {
  ...{ state: 'ready', files_done: 3, files_total: 3, left_out: [] },
  languages: [
    { language: 'Go', files: 2 },
    { language: 'PHP', files: 1 },
  ],
};
const KNOWLEDGE: KnowledgeStatus = {
  ...{ state: 'ready', files_done: 9, files_total: 9, passages: 40, bytes: 1, left_out: 0, not_text: 0, commit: null },
  structure: STRUCTURE,
};
const member = (id: string, more: object = {}) => ({ id, state: 'ok', client: 'auto', ...more }) as unknown as Member;
const client = (name: string, reason?: string) => ({ name, ready: reason === undefined, reason });
const clients = (list: object[], more: object = {}) =>
  ({ clients: list, auto: 'claude-code', model_connected: true, ...more }) as unknown as ClientList;

const SOUND: Findings = {
  ...{ nodeVersion: 'v24.1.0', standardVersion: 30, knownStandardVersion: 30, tracking: 'git' },
  ...{ trackedSecrets: [], looseFiles: [], foreignState: [], wrongAccounts: [], storeProblem: undefined },
  ...{ clockJumpMs: 0, canTellPeers: true, watching: { mode: 'notices' }, knowledge: KNOWLEDGE },
  members: [member('lamp'), member('horn')],
  clients: clients([client('claude-code'), client('builtin')]),
};

const check = (id: string, found: Partial<Findings>) => {
  const report = examine({ ...SOUND, ...found });
  const { id: _, title: __, ...rest } = report.checks.find((one) => one.id === id) ?? expect.fail(id);
  return { ...rest, ok: report.ok };
};
const good = (found: string) => ({ state: 'ok', found, ok: true });
const warning = (found: string, fix: string) => ({ state: 'warn', found, fix, ok: true });
const failure = (found: string, fix: string) => ({ state: 'fail', found, fix, ok: false });
const knowledge = (more: Partial<KnowledgeStatus>) => ({ knowledge: { ...KNOWLEDGE, ...more } });
const structure = (more: Partial<KnowledgeStatus['structure']>) => knowledge({ structure: { ...STRUCTURE, ...more } });

it('tells what it looked at, in its order, when nothing is wrong', () => {
  const { ok, checks } = examine(SOUND);
  expect(ok).toBe(true);
  expect(checks.map(({ id, title, state, found }) => [id, title, state, found])).toEqual([
    ['node', 'Node.js', 'ok', 'v24.1.0'],
    ['revision', 'Revision of the local conventions', 'ok', '30'],
    ['members', 'Member files', 'ok', '2 members, all readable'],
    ['watcher', 'Watching member files', 'ok', 'by system notification'],
    ['secrets', 'Secrets out of git', 'ok', 'nothing under .mesh/credentials or .mesh/state is tracked'],
    ['permissions', 'Secrets readable by you alone', 'ok', '0700 and 0600'],
    ['foreign', 'State of this machine', 'ok', 'its records were made here'],
    ['store', 'Durable store', 'ok', '.mesh/state/mesh.db, sound'],
    ['knowledge', 'Index over the project', 'ok', '9 files, 40 passages'],
    ['structure', 'Graph of definitions, calls and imports', 'ok', '3 files: Go 2, PHP 1'],
    ['git', 'Git repository', 'ok', 'yes'],
    ['clients', 'Clients on this machine', 'ok', 'claude-code, builtin; auto takes claude-code'],
    ['ledger', 'Payment accounts', 'ok', 'every account is what its journal adds up to'],
    ['clock', 'Clock', 'ok', 'runs evenly'],
    ['peers', 'Other users of this machine', 'ok', 'kept out by the owner of their connection'],
  ]);
  expect(checks.filter((one) => 'fix' in one)).toEqual([]);
});

it.each([
  [28, failure('28: the roster (29) and exposure (30) are off', 'meshd upgrade')],
  [29, warning('29: exposure (30) is off', 'meshd upgrade')],
  [30, good('30')],
  [31, good('31')],
  [32, warning('32: newer than this version knows', 'install the version of meshd that wrote it')],
])('of revision %s tells what is off, or that it is newer than 31, which is known', (standardVersion, expected) => {
  expect(check('revision', { standardVersion, knownStandardVersion: 31 })).toEqual(expected);
});

describe('of member files', () => {
  it('names those that are broken with their place, and the one to mend first', () => {
    const problem = { line: 2, column: 7, reason: 'no such key' };
    const members = [member('lamp'), member('odd', { state: 'broken', problem }), member('bad', { state: 'broken' })];
    const found = 'odd.md:2:7: no such key; bad.md:1:1: cannot be read';
    expect(check('members', { members })).toEqual(warning(found, 'meshd team edit odd'));
  });

  it.each([
    ['EMFILE: too many open files', 'sudo sysctl fs.inotify.max_user_instances=512'],
    ['ENOSPC: no space', 'sudo sysctl fs.inotify.max_user_watches=524288'],
  ])('tells that they are polled after %s, and which limit to raise', (reason, fix) => {
    const found = `by polling every two seconds: ${reason}`;
    expect(check('watcher', { watching: { mode: 'polling', reason } })).toEqual(warning(found, fix));
  });
});

it('of secrets that git tracks names the first five', () => {
  const fix = 'git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state';
  const trackedSecrets = ['a', 'b', 'c', 'd', 'e', 'f'];
  const found = '6 tracked: a, b, c, d, e; no new secret is written';
  expect(check('secrets', { trackedSecrets })).toEqual(failure(found, fix));
});

it('of files that others can read tells how to close all of them', () => {
  const found = 'others can read .mesh/a, .mesh/b';
  expect(check('permissions', { looseFiles: ['.mesh/a', '.mesh/b'] })).toEqual(
    failure(found, 'chmod go-rwx .mesh/a .mesh/b'),
  );
});

it('of state that was set aside repeats each sentence', () => {
  expect(check('foreign', { foreignState: ['One.', 'Two.'] })).toEqual(
    warning('One. Two.', 'meshd down && meshd adopt && meshd up'),
  );
});

it('of a store that is not sound repeats its problem', () => {
  expect(check('store', { storeProblem: 'The disk is full.' })).toEqual(
    failure('The disk is full.', 'free or mend the disk, then meshd down && meshd up'),
  );
});

const REBUILD = 'rm -f .mesh/state/knowledge.db* && meshd down && meshd up';
it.each<[string, Partial<KnowledgeStatus>, object]>([
  ['that failed, its message', { state: 'failed', message: 'No space.', left_out: 1 }, failure('No space.', REBUILD)],
  ['that failed without a word', { state: 'failed' }, failure('it cannot be built', REBUILD)],
  ['under way, how far it is', { state: 'indexing', files_done: 4, left_out: 1 }, good('4 of 9 files so far')],
  [
    'that leaves files out, how many',
    { left_out: 1, not_text: 2 },
    warning(
      '9 files, 40 passages; left out as too many, too large or without a name in UTF-8 on one line: 1',
      'list what is generated in .gitignore, or split files over 1 MiB',
    ),
  ],
  ['with files that are no text, how many', { not_text: 1 }, good('9 files, 40 passages; not text: 1 files')],
])('tells of an index %s', (_name, more, expected) => {
  expect(check('knowledge', knowledge(more))).toEqual(expected);
});

it.each<[string, Partial<KnowledgeStatus['structure']>, object]>([
  [
    'that failed',
    { state: 'failed', left_out: [{ reason: 'too large', files: 1 }] },
    warning(
      'it cannot be written: questions about structure are answered by the text search',
      'free disk space, then meshd down && meshd up',
    ),
  ],
  ['that waits', { state: 'idle', files_total: 0 }, good('read after the index')],
  ['under way', { state: 'reading', files_done: 2 }, good('2 of 3 files so far')],
  [
    'that leaves files out',
    {
      left_out: [
        { reason: 'too large', files: 2 },
        { reason: 'unreadable', files: 1 },
      ],
    },
    warning(
      '3 files; left out: 2 too large, 1 unreadable',
      'list what is generated in .gitignore, or split the longest files',
    ),
  ],
  ['without any source', { files_total: 0, languages: [] }, good('no source in a language that it reads')],
])('tells of a graph %s', (_name, more, expected) => {
  expect(check('structure', structure(more))).toEqual(expected);
});

it('of a project outside git tells what that means', () => {
  expect(check('git', { tracking: 'none' })).toEqual(
    warning('no: every text file counts as the project, and citations carry no commit', 'git init'),
  );
});

it('of a repository that git does not read says nothing of what git tracks', () => {
  expect(check('secrets', { tracking: 'unknown' })).toEqual(warning('git does not tell', 'git status'));
  expect(check('git', { tracking: 'unknown' })).toEqual(
    warning('git does not read it: nothing of it is read for other programs', 'git status'),
  );
});

describe('of clients', () => {
  const none = { model_connected: false, auto: 'builtin' };

  it('tells that there is only the search while no model is connected', () => {
    expect(check('clients', { clients: clients([client('builtin')], none) })).toEqual(
      good('No model connected: search only; connect one with `meshd clients use`'),
    );
  });

  it('names the ready ones alone', () => {
    const list = [client('claude-code'), client('codex', 'It is not installed.'), client('api')];
    expect(check('clients', { clients: clients(list, { auto: 'api' }) })).toEqual(
      good('claude-code, api; auto takes api'),
    );
  });

  it('names the members that should run on the first one that is not ready, and how to move one', () => {
    const members = [
      member('lamp', { client: 'claude-code' }),
      member('horn', { client: 'codex' }),
      member('bell', { client: 'api' }),
      member('buoy', { client: 'codex' }),
      member('mast', { client: 'unheard-of' }),
    ];
    const list = [client('claude-code'), client('codex', 'It is not installed.'), client('api', 'No key.')];
    for (const connected of [{}, none])
      expect(check('clients', { clients: clients(list, connected), members })).toEqual(
        warning(
          'horn, buoy should run on codex, which is not ready: It is not installed.',
          'meshd team edit horn --set client=auto',
        ),
      );
  });

  it('takes one that is ready for its members although it gives a reason', () => {
    const list = [{ name: 'api', ready: true, reason: 'An older model.' }];
    expect(check('clients', { clients: clients(list), members: [member('lamp', { client: 'api' })] }).state).toBe('ok');
  });
});

it('of accounts that do not add up names the first three', () => {
  expect(check('ledger', { wrongAccounts: ['a', 'b', 'c', 'd'] })).toEqual(
    failure(
      '4 do not add up: a; b; c; something else wrote to the store',
      'meshd down, then put a copy of .mesh/state/mesh.db back from before',
    ),
  );
});

const BACK = 's since the daemon started: what expires by it lives that much longer';
const AHEAD = 's since the daemon started: set, or the machine slept';
it.each([
  [-30_000, good('runs evenly')],
  [-30_501, warning(`it was set back by 31 ${BACK}`, 'sudo timedatectl set-ntp true')],
  [60_000, good('runs evenly')],
  [60_001, good(`it moved ahead by 60 ${AHEAD}`)],
])('of a clock that is off by %s ms tells it beyond what time servers do', (clockJumpMs, expected) => {
  expect(check('clock', { clockJumpMs })).toEqual(expected);
});

it('of a system without owners of connections tells that any user may call', () => {
  expect(check('peers', { canTellPeers: false })).toEqual(
    warning(
      'cannot be told apart on this system: any local user may call operator routes',
      'run meshd on Linux, or on a machine of your own',
    ),
  );
});
