import type { ClientList } from '../../contract/clients.js';
import type { DoctorCheck, DoctorReport, KnowledgeStatus } from '../../contract/system.js';
import type { Member } from '../../contract/team.js';
import { UNTRACK_COMMAND } from '../../private/tracked-path.js';
import type { Tracking } from '../../storage/git/tracked-files.js';

/** The input of the checks, gathered by the caller. */
interface Findings {
  nodeVersion: string;
  standardVersion: number;
  knownStandardVersion: number;
  tracking: Tracking;
  trackedSecrets: readonly string[];
  looseFiles: readonly string[];
  /** State that was set aside, one sentence each. */
  foreignState: readonly string[];
  members: readonly Member[];
  watching: { mode: 'notices' } | { mode: 'polling'; reason: string };
  storeProblem: string | undefined;
  /** Accounts in the payment journal whose balance is inconsistent. */
  wrongAccounts: readonly string[];
  /** The drift of the wall clock against the monotonic clock since the daemon started. */
  clockJumpMs: number;
  knowledge: KnowledgeStatus;
  clients: ClientList;
  canTellPeers: boolean;
}

/** Corrections by time servers are smaller than this. */
const CLOCK_BACK_MS = 30_000;
const CLOCK_AHEAD_MS = 60_000;

type Check = (findings: Findings) => Omit<DoctorCheck, 'id' | 'title'>;

const ok = (found: string) => ({ state: 'ok' as const, found });
const warn = (found: string, fix: string) => ({ state: 'warn' as const, found, fix });
const fail = (found: string, fix: string) => ({ state: 'fail' as const, found, fix });

const CHECKS: readonly [id: string, title: string, check: Check][] = [
  ['node', 'Node.js', ({ nodeVersion }) => ok(nodeVersion)],
  [
    'revision',
    'Revision of the local conventions',
    ({ standardVersion, knownStandardVersion }) => {
      if (standardVersion < 29)
        return fail(`${standardVersion}: the roster (29) and exposure (30) are off`, 'meshd upgrade');
      if (standardVersion < 30) return warn(`${standardVersion}: exposure (30) is off`, 'meshd upgrade');
      if (standardVersion > knownStandardVersion)
        return warn(`${standardVersion}: newer than this version knows`, 'install the version of meshd that wrote it');
      return ok(String(standardVersion));
    },
  ],
  [
    'members',
    'Member files',
    ({ members }) => {
      const broken = members.filter(({ state }) => state === 'broken');
      const [first] = broken;
      if (!first) return ok(`${members.length} members, all readable`);
      const where = broken.map(
        ({ id, problem }) =>
          `${id}.md:${problem?.line ?? 1}:${problem?.column ?? 1}: ${problem?.reason ?? 'cannot be read'}`,
      );
      return warn(where.join('; '), `meshd team edit ${first.id}`);
    },
  ],
  [
    'watcher',
    'Watching member files',
    ({ watching }) =>
      watching.mode === 'notices'
        ? ok('by system notification')
        : warn(
            `by polling every two seconds: ${watching.reason}`,
            watching.reason.includes('EMFILE')
              ? 'sudo sysctl fs.inotify.max_user_instances=512'
              : 'sudo sysctl fs.inotify.max_user_watches=524288',
          ),
  ],
  [
    'secrets',
    'Secrets out of git',
    ({ trackedSecrets, tracking }) => {
      if (trackedSecrets.length > 0)
        return fail(
          `${trackedSecrets.length} tracked: ${trackedSecrets.slice(0, 5).join(', ')}; no new secret is written`,
          UNTRACK_COMMAND,
        );
      if (tracking === 'unknown') return warn('git does not tell', 'git status');
      return ok('nothing under .mesh/credentials or .mesh/state is tracked');
    },
  ],
  [
    'permissions',
    'Secrets readable by you alone',
    ({ looseFiles }) =>
      looseFiles.length === 0
        ? ok('0700 and 0600')
        : fail(`others can read ${looseFiles.join(', ')}`, `chmod go-rwx ${looseFiles.join(' ')}`),
  ],
  [
    'foreign',
    'State of this machine',
    ({ foreignState }) =>
      foreignState.length === 0
        ? ok('its records were made here')
        : warn(foreignState.join(' '), 'meshd down && meshd adopt && meshd up'),
  ],
  [
    'store',
    'Durable store',
    ({ storeProblem }) =>
      storeProblem === undefined
        ? ok('.mesh/state/mesh.db, sound')
        : fail(storeProblem, 'free or mend the disk, then meshd down && meshd up'),
  ],
  [
    'knowledge',
    'Index over the project',
    ({ knowledge: { state, files_done, files_total, passages, left_out, not_text, message } }) => {
      if (state === 'failed')
        return fail(message ?? 'it cannot be built', 'rm -f .mesh/state/knowledge.db* && meshd down && meshd up');
      if (state === 'indexing') return ok(`${files_done} of ${files_total} files so far`);
      if (left_out > 0) {
        return warn(
          `${files_total} files, ${passages} passages; left out as too many, too large or without a name in ` +
            `UTF-8 on one line: ${left_out}`,
          'list what is generated in .gitignore, or split files over 1 MiB',
        );
      }
      return ok(`${files_total} files, ${passages} passages${not_text > 0 ? `; not text: ${not_text} files` : ''}`);
    },
  ],
  [
    'structure',
    'Graph of definitions, calls and imports',
    ({ knowledge: { structure } }) => {
      const { state, files_done, files_total, left_out, languages } = structure;
      if (state === 'failed')
        return warn(
          'it cannot be written: questions about structure are answered by the text search',
          'free disk space, then meshd down && meshd up',
        );
      if (state === 'idle') return ok('read after the index');
      if (state === 'reading') return ok(`${files_done} of ${files_total} files so far`);
      if (left_out.length > 0)
        return warn(
          `${files_total} files; left out: ${left_out.map(({ reason, files }) => `${files} ${reason}`).join(', ')}`,
          'list what is generated in .gitignore, or split the longest files',
        );
      return ok(
        files_total === 0
          ? 'no source in a language that it reads'
          : `${files_total} files: ${languages.map(({ language, files }) => `${language} ${files}`).join(', ')}`,
      );
    },
  ],
  [
    'git',
    'Git repository',
    ({ tracking }) => {
      if (tracking === 'git') return ok('yes');
      if (tracking === 'unknown')
        return warn('git does not read it: nothing of it is read for other programs', 'git status');
      return warn('no: every text file counts as the project, and citations carry no commit', 'git init');
    },
  ],
  [
    'clients',
    'Clients on this machine',
    ({ clients: { clients, auto, model_connected }, members }) => {
      const ready = clients.filter((client) => client.ready).map(({ name }) => name);
      const getReason = (name: string) => clients.find((client) => client.name === name && !client.ready)?.reason;
      const stuck = members.flatMap(({ id, client }) => {
        const reason = getReason(client);
        return reason == null ? [] : [{ id, client, reason }];
      });
      const [first] = stuck;
      if (!first && !model_connected)
        return ok('No model connected: search only; connect one with `meshd clients use`');
      if (!first) return ok(`${ready.join(', ')}; auto takes ${auto}`);
      const ids = stuck.filter(({ client }) => client === first.client).map(({ id }) => id);
      return warn(
        `${ids.join(', ')} should run on ${first.client}, which is not ready: ${first.reason}`,
        `meshd team edit ${first.id} --set client=auto`,
      );
    },
  ],
  [
    'ledger',
    'Payment accounts',
    ({ wrongAccounts }) =>
      wrongAccounts.length === 0
        ? ok('every account is what its journal adds up to')
        : fail(
            `${wrongAccounts.length} do not add up: ${wrongAccounts.slice(0, 3).join('; ')}; something else ` +
              'wrote to the store',
            'meshd down, then put a copy of .mesh/state/mesh.db back from before',
          ),
  ],
  [
    'clock',
    'Clock',
    ({ clockJumpMs }) => {
      const seconds = Math.round(Math.abs(clockJumpMs) / 1000);
      if (clockJumpMs < -CLOCK_BACK_MS) {
        return warn(
          `it was set back by ${seconds} s since the daemon started: what expires by it lives that much longer`,
          'sudo timedatectl set-ntp true',
        );
      }
      return ok(
        clockJumpMs > CLOCK_AHEAD_MS
          ? `it moved ahead by ${seconds} s since the daemon started: set, or the machine slept`
          : 'runs evenly',
      );
    },
  ],
  [
    'peers',
    'Other users of this machine',
    ({ canTellPeers }) =>
      canTellPeers
        ? ok('kept out by the owner of their connection')
        : warn(
            'cannot be told apart on this system: any local user may call operator routes',
            'run meshd on Linux, or on a machine of your own',
          ),
  ],
];

/** Runs every check and returns its finding and fix. `ok` is true unless a check failed. */
export function examine(findings: Findings): DoctorReport {
  const checks = CHECKS.map(([id, title, check]) => ({ id, title, ...check(findings) }));
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}
