import { expect } from 'vitest';
import type { CommandCase, Desk } from './command-case.js';

const text = expect.any(String);
const object = (out: string) => JSON.parse(out) as Record<string, never>;

/** Sends a message for which the scripted agent requests permission, and returns the id of the permission request. */
async function aQuestion({ meshd }: Desk): Promise<[string]> {
  const { permission } = object((await meshd(['talk', 'developer', 'set it', '--json'])).out) as {
    permission?: { pid: string };
  };
  if (permission) return [permission.pid];
  const { permissions } = object((await meshd(['inbox', '--json'])).out) as unknown as {
    permissions: { pid: string }[];
  };
  return [permissions.at(-1)?.pid ?? 'none'];
}

const conv = ({ kept: known }: Desk) => [known['conv'] ?? ''];
const schedule = ({ kept: known }: Desk) => [known['schedule'] ?? ''];

/** Cases with an agent that requests permission before it writes. */
export const WORK: readonly CommandCase[] = [
  {
    command: 'inbox',
    out: '',
    err: 'Nothing needs you.\n',
    json: { count: 0, permissions: [], failed_requests: [], broken_members: [], schedules: [] },
  },
  {
    command: 'talk',
    args: () => ['developer', 'set it', '--isolation', 'worktree'],
    exit: 9,
    out: 'Looking. \n',
    err: /\? developer asks to use Edit src\/dusk\.ts\n/,
    json: { conv: text },
    keep: ({ conv }: { conv: string }, { kept: known }) => Object.assign(known, { conv }),
  },
  {
    command: 'inbox show',
    args: aQuestion,
    out: /^\? developer asks to use Edit src\/dusk\.ts\n(.*\n)*RULE +ALLOWS/,
    json: { pid: text, always: [{ match: 'tool', value: 'Edit' }] },
  },
  {
    command: 'inbox allow',
    args: aQuestion,
    out: 'Allowed this once: Edit src/dusk.ts.\n',
    json: { decision: text, tool: 'Edit' },
  },
  {
    command: 'inbox deny',
    args: aQuestion,
    out: 'Denied: Edit src/dusk.ts.\n',
    json: { decision: text, tool: 'Edit' },
  },
  {
    command: 'inbox always',
    args: aQuestion,
    out: /^Allowed from now on in conv-\S+: Edit src\/dusk\.ts\.\n$/,
    json: { decision: text, tool: 'Edit' },
  },
  {
    command: 'inbox rules',
    out: /^RULE +ALLOWS +WHERE +USED +VALUE\nrule-\S+ +tool +conv-/,
    json: { count: expect.any(Number), rules: expect.any(Array) },
  },
  {
    command: 'inbox revoke',
    args: async ({ meshd }) => {
      const { rules } = object((await meshd(['inbox', 'rules', '--json'])).out) as unknown as {
        rules: { rule: string }[];
      };
      return [rules[0]?.rule ?? 'none'];
    },
    out: 'Taken back: tool Edit.\n',
    json: { match: 'tool', value: 'Edit' },
  },
  {
    command: 'conversations ls',
    rows: 'conversations',
    out: /^CONVERSATION +CHANGED \(UTC\)/,
    json: { conversations: expect.any(Array), next_cursor: null },
  },
  {
    command: 'conversations show',
    args: conv,
    out: /^Conversation +conv-/,
    err: /./,
    json: { conversation: { conv: text }, messages: expect.any(Array) },
  },
  {
    command: 'conversations export',
    args: conv,
    out: /^# set it\n/,
    json: { format: 'md', document: expect.stringContaining('# set it') },
  },
  {
    command: 'conversations say',
    args: (desk) => [...conv(desk), 'and then?'],
    out: /^turn-\S+ queued behind the running turn\.\n$/,
    json: { queued: true },
  },
  {
    command: 'conversations drop',
    args: conv,
    out: 'Dropped 2 messages from the queue.\n',
    json: { count: 0, turns: [] },
  },
  { command: 'conversations pin', args: conv, out: /^Pinned conv-\S+, "set it"\.\n$/, json: { pinned: true } },
  { command: 'conversations unpin', args: conv, out: /^Unpinned conv-\S+, "set it"\.\n$/, json: { pinned: false } },
  { command: 'conversations archive', args: conv, out: /^Archived conv-\S+, "set it"\.\n$/, json: { archived: true } },
  {
    command: 'conversations unarchive',
    args: conv,
    out: /^Unarchived conv-\S+, "set it"\.\n$/,
    json: { archived: false },
  },
  {
    command: 'conversations rename',
    args: (desk) => [...conv(desk), ' Lamps '],
    out: /^Renamed conv-\S+, "Lamps"\.\n$/,
    json: { title: 'Lamps' },
  },
  {
    command: 'checkpoints',
    args: conv,
    out: /^(CHECKPOINT|$)/,
    err: /^(|No checkpoints: .*\n)$/,
    json: { checkpoints: expect.any(Array), problem: null },
  },
  {
    command: 'changes',
    args: conv,
    out: '',
    err: 'No file changed.\n',
    json: { files: [], count: 0, from: 'base', to: 'working', problem: null },
  },
  {
    command: 'rewind',
    args: (desk) => [...conv(desk), 'turn-none', '--yes'],
    exit: 6,
    out: '',
    err: /A turn of this conversation runs or waits/,
    json: { error: 'in_flight' },
  },
  {
    command: 'fork',
    args: (desk) => [...conv(desk), 'turn-none'],
    exit: 4,
    out: '',
    err: /There is no checkpoint/,
    json: { error: 'not_found' },
  },
  {
    command: 'merge',
    args: (desk) => [...conv(desk), '--dry-run'],
    out: /^Into +main \(checked out/,
    err: /./,
    json: { into: 'main', conflicts: [], methods: [] },
  },
  {
    command: 'review ask',
    args: (desk) => [...conv(desk), 'ui-reviewer'],
    exit: 2,
    out: '',
    err: /changed no file/,
    json: { error: 'bad_request' },
  },
  {
    command: 'worktrees ls',
    out: /^CONVERSATION +BRANCH +CHANGED.*\nconv-/,
    err: /^[\d.]+ \w+ in all\.\n$/,
    json: { worktrees: expect.any(Array), problem: null },
  },
  {
    command: 'worktrees settings',
    args: () => ['--default', 'automatic', '--copy', '.env', 'config/*.local', '--no-link', '--setup', 'true'],
    out: /^Default +automatic\nCopied +\.env, config\/\*\.local\nLinked +nothing\nSet-up +true\n$/,
    json: {
      isolation_default: 'automatic',
      worktrees: { copy: ['.env', 'config/*.local'], link: [], setup: 'true' },
    },
  },
  {
    command: 'worktrees settings',
    args: () => ['--copy', '../secret'],
    exit: 2,
    out: '',
    err: /"\.\.\/secret" must not have empty parts/,
    json: { error: 'bad_request' },
  },
  {
    command: 'worktrees rm',
    args: (desk) => [...conv(desk), '--discard'],
    exit: 6,
    out: '',
    err: /A turn works in this worktree: stop it first\./,
    json: { error: 'in_flight' },
  },
  {
    command: 'review comment',
    args: (desk) => [...conv(desk), 'src/dusk.ts', 'Name the unit.', '--lines', '1-2'],
    out: /^Drafted rev-\S+ on src\/dusk\.ts:1-2\.\n$/,
    json: { state: 'draft', path: 'src/dusk.ts', side: 'new', start_line: 1, end_line: 2 },
    keep: ({ comment }: { comment: string }, { kept: known }) => Object.assign(known, { comment }),
  },
  {
    command: 'review ls',
    args: conv,
    rows: 'comments',
    out: /^COMMENT +STATE +BY +WHERE +TEXT\nrev-\S+ +draft +you +src\/dusk\.ts:1-2 +Name the unit\.$/m,
    err: /Send the drafts \(2\)/,
    json: { drafts: 2, reviewers: [{ id: 'commit-pr-reviewer' }, { id: 'ui-reviewer' }] },
  },
  {
    command: 'review rm',
    args: async (desk, turn) => {
      if (turn === 'json') return [...conv(desk), desk.kept['comment'] ?? ''];
      const added = ['review', 'comment', ...conv(desk), 'README.md', 'x', '--json'];
      return [...conv(desk), (object((await desk.meshd(added)).out) as unknown as { comment: string }).comment];
    },
    out: /^Deleted rev-\S+ on README\.md\.\n$/,
    json: { path: 'src/dusk.ts' },
  },
  {
    command: 'review send',
    args: async (desk) => {
      await desk.meshd(['review', 'comment', ...conv(desk), 'README.md', 'y']);
      return conv(desk);
    },
    out: /^Sent as turn-\S+(, queued behind the running turn)?\.\n$/,
    json: { turn: text },
  },
  {
    command: 'conversations rm',
    args: async (desk, turn) => {
      if (turn === 'json') return [...conv(desk), '--yes'];
      const { conversations } = object((await desk.meshd(['conversations', 'ls', '--json'])).out) as unknown as {
        conversations: { conv: string }[];
      };
      return [conversations.find((one) => one.conv !== desk.kept['conv'])?.conv ?? '', '--yes'];
    },
    out: /^Removed conv-\S+\.\n$/,
    json: { deleted: text },
  },
  {
    command: 'roadmap ls',
    rows: 'tasks',
    out: /^angle +open +developer +set the angle$/m,
    json: { tasks: [{ id: 'angle' }, { id: 'docs' }], running: false },
  },
  {
    command: 'roadmap set',
    args: () => ['docs', '--state', 'blocked', '--reason', 'waits'],
    out: /^docs +blocked .*say so \(waits\)\n$/,
    json: { id: 'docs', state: 'blocked', reason: 'waits' },
  },
  { command: 'roadmap run', out: 'Running, 1 in parallel. In progress: angle.\n', json: { running: true, limit: 1 } },
  {
    command: 'roadmap checks set',
    args: () => ['test', 'npm test'],
    out: /^test +npm test$/m,
    json: { commands: [{ name: 'test', command: 'npm test' }], count: 1 },
  },
  { command: 'roadmap checks ls', out: /^test +npm test$/m, json: { count: 1 } },
  {
    command: 'roadmap checks rm',
    args: async (desk) => {
      await desk.meshd(['roadmap', 'checks', 'set', 'test', 'npm test']);
      return ['test'];
    },
    out: 'Removed test.\n',
    json: { count: 0 },
  },
  { command: 'roadmap stop', out: 'Stopped. In progress: angle.\n', json: { running: false } },
  {
    command: 'schedule add',
    args: () => ['--member', 'developer', '--cron', '0 9 * * 1-5', '--zone', 'Europe/Berlin', 'Look at the lamps'],
    out: /^Added sched-\S+, next run \w{3} \d{4}-\d{2}-\d{2} 09:00 \+0[12]:00\.\n$/,
    json: { member: 'developer', cron: '0 9 * * 1-5', zone: 'Europe/Berlin', missed: 'once', paused: false },
    keep: ({ id }: { id: string }, { kept: known }) => Object.assign(known, { schedule: id }),
  },
  {
    command: 'schedule ls',
    rows: 'schedules',
    out: /^sched-\S+ +developer +0 9 \* \* 1-5 \(Europe\/Berlin\) +\w{3} .* 09:00 .*Look at the lamps$/m,
    json: { count: 2 },
  },
  {
    command: 'schedule show',
    args: schedule,
    out: /^next +\w{3} \d{4}-.* 09:00 \+0[12]:00 \(/m,
    json: { text: 'Look at the lamps', last_runs: [] },
  },
  { command: 'schedule pause', args: schedule, out: 'Paused.\n', json: { paused: true, next_runs: [] } },
  { command: 'schedule resume', args: schedule, out: /^Resumed, next run \w{3} .* 09:00/, json: { paused: false } },
  {
    command: 'schedule run',
    args: async (desk, turn) => {
      if (turn === 'json') return schedule(desk);
      const { schedules } = object((await desk.meshd(['schedule', 'ls', '--json'])).out) as unknown as {
        schedules: { id: string }[];
      };
      return [schedules.find(({ id }) => id !== desk.kept['schedule'])?.id ?? ''];
    },
    out: /^It runs in conv-\S+\.\n$/,
    json: { cause: 'operator', state: 'running', conv: text },
  },
  {
    command: 'schedule rm',
    args: async (desk, turn) => {
      if (turn === 'json') return schedule(desk);
      const { schedules } = object((await desk.meshd(['schedule', 'ls', '--json'])).out) as unknown as {
        schedules: { id: string }[];
      };
      return [schedules.find(({ id }) => id !== desk.kept['schedule'])?.id ?? ''];
    },
    out: /^Deleted sched-\S+\.\n$/,
    json: { ok: true, deleted: text },
  },
];

const request = ({ kept: known }: Desk) => [known['request'] ?? ''];

/** Cases with the built-in search. */
export const ASKING: readonly CommandCase[] = [
  {
    command: 'ask',
    args: () => ['consultant', 'On which port does it listen?'],
    out: /README\.md:\d+-\d+ ✓\n(.*\n)+.*8123/,
    err: /^(queued|working|.*\n)*$/,
    json: { status: 'done', receipt: { pubkey: text } },
    keep: (record: { request_id: string }, { kept: known }) =>
      Object.assign(known, { request: record.request_id, record: JSON.stringify(record) }),
  },
  {
    command: 'requests ls',
    rows: 'requests',
    out: /^REQUEST +ASKED \(UTC\).*\nreq-/,
    json: { count: 2, requests: [{ status: 'done' }, { status: 'done' }] },
  },
  {
    command: 'requests refused',
    out: '',
    err: 'No refused calls.\n',
    json: { refused: [], count: 0, total: 0 },
  },
  {
    command: 'usage',
    out: /^MEMBER +ASKS +FOUND.*\nconsultant +2 (.*\n)total +2 /,
    json: { total: { asks: 2, refused: 0 }, members: [{ name: 'consultant' }], callers: [{ asks: 2 }] },
  },
  {
    command: 'budgets set',
    args: () => ['member:consultant', '--turns', '2', '--cost', '1.5'],
    out: /^SCOPE .*\nmember:consultant +Consultant +reached +not reported by builtin +not reported by builtin of \$1\.50 \(0 %\) +[\d.]+ +2 of 2 \(100 %\)/,
    json: { limits: { turns: 2, cost_usd: 1.5, tokens: null }, state: 'reached' },
  },
  {
    command: 'budgets',
    out: /^SCOPE .*\nmember:consultant .*\nday +no limit /,
    err: /^Today is \d{4}-\d\d-\d\d, until .*\.\n$/,
    json: {
      budgets: [
        { scope: 'member:consultant', waiting: 0 },
        { scope: 'day', share: null },
      ],
    },
  },
  {
    command: 'budgets raise',
    args: () => ['member:consultant', '--today'],
    out: /member:consultant .* of [34] \(\d+ %\)/,
    json: { lasting: { turns: 2 } },
  },
  {
    command: 'budgets leave',
    args: () => ['member:consultant'],
    out: 'Left as it is: member:consultant.\n',
    json: { is_left: true },
  },
  {
    command: 'budgets clear',
    args: () => ['day'],
    exit: 4,
    out: '',
    err: /There is no budget for "day"\./,
    json: { error: 'not_found' },
  },
  {
    command: 'requests show',
    args: request,
    out: /^Request +req-\S+\nMember +consultant /,
    json: { status: 'done', text: 'On which port does it listen?' },
  },
  {
    command: 'requests trace',
    args: request,
    out: /^Found in +\S.*\nTime +\d+\.\d ms: index .*\n\nWORD +READ AS(.*\n)+CANDIDATE +SCORE(.*\n)+README\.md:\d+-\d+ .* quoted\n/,
    json: { source: 'text', words: [{ written: 'port' }, {}], candidates_total: expect.any(Number) },
  },
  {
    command: 'requests rate',
    args: ({ kept: known }) => [known['request'] ?? '', 'down', '--note', 'It says nothing of the night.'],
    out: /^req-\S+ rated down\.\n$/,
    json: { rating: { value: 'down', note: 'It says nothing of the night.' } },
  },
  {
    command: 'requests test',
    args: ({ kept: known }) => [known['request'] ?? '', '--cites', 'README.md'],
    out: '.mesh/asks/consultant.md has 1 question.\n',
    err: 'Run them with `meshd team test consultant`.\n',
    json: { exists: true },
  },
  {
    command: 'code defs',
    args: () => ['isDusk'],
    out: 'src/dusk.ts:4  function isDusk(angle: number): boolean\n',
    json: {
      state: 'ready',
      is_known: true,
      total: 1,
      places: [{ path: 'src/dusk.ts', start_line: 4, kind: 'function' }],
    },
  },
  {
    command: 'code refs',
    args: () => ['DUSK_ANGLE_DEGREES'],
    out: 'src/dusk.ts:5  DUSK_ANGLE_DEGREES  in isDusk\n',
    json: { is_known: true, total: 1, places: [{ container: 'isDusk' }] },
  },
  {
    command: 'code imports',
    args: () => ['src/dusk.ts'],
    out: '',
    err: 'No import of src/dusk.ts in this project.\n',
    json: { is_known: true, total: 0, places: [] },
  },
  { command: 'code env', out: '', err: 'No read of an environment variable in this project.\n', json: { total: 0 } },
  { command: 'code routes', out: '', err: 'No route in this project.\n', json: { total: 0, is_known: true } },
  {
    command: 'verify',
    args: ({ kept: known }) => [known['file'] ?? ''],
    out: /^Valid, signed by this daemon: \S+\.\n$/,
    json: { valid: true, reasons: [], pubkey: text, signer: 'this daemon' },
  },
  {
    command: 'support-bundle',
    out: /^{\n {2}"made_at"/,
    err: 'Read it before you share it.\n',
    json: {
      holds: text,
      versions: { meshd: text },
      doctor: { checks: expect.any(Array) },
      members: expect.any(Array),
      log: expect.any(Array),
    },
  },
  {
    command: 'find',
    rows: 'agents',
    args: () => ['answers questions about this project'],
    out: /^AGENT +SCORE.*\n\S+ /,
    json: { agents: [{ agent_id: text }], count: expect.any(Number) },
  },
];

/** Cases about agents in the two directories, and a catalog imported into one of them. */
export const AGENTS: readonly CommandCase[] = [
  {
    command: 'agent register',
    args: (_, turn) => [turn === 'plain' ? 'painter' : 'drawer', '--capability', 'paint'],
    out: 'painter is registered on the hub and the unified API.\n',
    err: /meshd agent heartbeat painter/,
    json: { agent_id: 'drawer' },
  },
  {
    command: 'agent heartbeat',
    args: () => ['painter'],
    out: /^painter is online on the hub\.\n/,
    json: { heartbeats: [{ online: true }, { online: true }] },
  },
  {
    command: 'agent ls',
    out: /^AGENT +HUB +UNIFIED API\n(.*\n)*painter +online +online\n$/,
    json: { agents: expect.arrayContaining([{ agent_id: 'painter', hub: 'online', v1: 'online' }]) },
  },
  {
    command: 'agent show',
    args: () => ['painter'],
    out: /^painter +HUB +UNIFIED API\n/,
    json: { agent_id: 'painter', hub: { online: true } },
  },
  {
    command: 'agent rm',
    args: (_, turn) => [turn === 'plain' ? 'painter' : 'drawer'],
    out: /^painter is deregistered from the hub\.\n/,
    json: { agent_id: 'drawer', deregistered: ['hub', 'v1'] },
  },
  {
    command: 'catalog import',
    args: ({ kept: known }) => [known['catalog'] ?? ''],
    out: '1 added, 0 updated, 0 refused.\n',
    err: '1 lines read.\n',
    json: { added: 0, updated: 1, refused: [] },
  },
];

/** Cases with an agent that does not end by itself. */
export const CANCELLING: readonly CommandCase[] = [
  {
    command: 'requests cancel',
    args: async ({ meshd }) => {
      const asked = await meshd(['ask', 'consultant', 'Why?', '--wait', '0', '--json']);
      return [(JSON.parse(asked.out) as { request_id: string }).request_id];
    },
    out: /^req-\S+ stopped\.\n$/,
    json: { status: 'error', error: { code: 'cancelled' } },
  },
];
