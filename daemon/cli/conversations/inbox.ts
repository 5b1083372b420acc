import type { Command } from 'commander';
import type { RequestList, RequestRow } from '../../contract/asks.js';
import type { Permission, PermissionList, WaitingPermission } from '../../contract/conversations.js';
import type { NewRule, PermissionRule, PermissionRuleList } from '../../contract/permissions.js';
import type { Member, MemberList } from '../../contract/team.js';
import type { Budget, BudgetList } from '../../contract/work/budgets.js';
import type { Schedule, ScheduleList } from '../../contract/work/schedules.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { duration } from '../daemon/status.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { readPages, toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { callLine, DECISION_OF, questionLines } from './conversation-format.js';
import { permissionPath } from './live-conversation.js';
import { formatRun } from './schedule.js';

const DAY_MS = 86_400_000;

interface Inbox {
  permissions: WaitingPermission[];
  failed_requests: RequestRow[];
  broken_members: Pick<Member, 'id' | 'serving' | 'problem'>[];
  budgets: Budget[];
  schedules: Pick<Schedule, 'id' | 'title' | 'member' | 'needs_you'>[];
}

/** All pending permission requests, oldest first. */
async function listQuestions(client: HttpClient): Promise<WaitingPermission[]> {
  const { rows } = await readPages(Number.POSITIVE_INFINITY, async (limit, cursor) => {
    const page = await client.get<PermissionList>(`/permissions?${toQuery({ limit, cursor })}`);
    return { rows: page.permissions, next_cursor: page.next_cursor };
  });
  return rows;
}

/** Requests that failed within the last day, except those that were cancelled. */
async function listFailed(client: HttpClient): Promise<RequestRow[]> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const { rows } = await readPages(Number.POSITIVE_INFINITY, async (limit, cursor) => {
    const page = await client.get<RequestList>(`/requests?${toQuery({ status: 'error', since, limit, cursor })}`);
    return { rows: page.requests, next_cursor: page.next_cursor };
  });
  return rows.filter(({ error }) => error?.code !== 'cancelled');
}

async function readInbox(client: HttpClient): Promise<Inbox> {
  const [permissions, failed_requests, { members }, { budgets }, scheduled] = await Promise.all([
    listQuestions(client),
    listFailed(client),
    client.get<MemberList>('/team'),
    client.get<BudgetList>('/budgets'),
    client.get<ScheduleList>('/schedules?needs_you=true'),
  ]);
  const broken_members = members
    .filter(({ state }) => state === 'broken')
    .map(({ id, serving, problem }) => ({ id, serving, ...(problem ? { problem } : {}) }));
  const told = budgets.filter(({ state, is_left }) => state !== 'ok' && !is_left);
  const schedules = scheduled.schedules.map(({ id, title, member, needs_you }) => ({ id, title, member, needs_you }));
  return { permissions, failed_requests, broken_members, budgets: told, schedules };
}

function showInbox(
  terminal: Terminal,
  { permissions, failed_requests, broken_members, budgets, schedules }: Inbox,
): void {
  const left = ({ expires_at }: Permission) => duration(Math.max(0, (Date.parse(expires_at) - Date.now()) / 1000));
  terminal.table(
    permissions.map((question) => [
      question.pid,
      question.from_outside ? `${question.member ?? ''} (for a program)` : (question.member ?? ''),
      question.conv,
      left(question),
      callLine({ name: question.tool, target: question.target }),
    ]),
    ['QUESTION', 'MEMBER', 'CONVERSATION', 'DENIED IN', 'MAY IT USE'],
  );
  if (permissions.length > 0) terminal.note('Answer with `meshd inbox allow|always|deny <permission>`.');
  terminal.table(
    failed_requests.map(({ request_id, finished_at, created_at, member, error }) => [
      request_id,
      utcTime(finished_at ?? created_at),
      member,
      error ? `${error.message} (${error.code})` : '',
    ]),
    ['FAILED REQUEST', 'WHEN (UTC)', 'MEMBER', 'WHY'],
  );
  terminal.table(
    broken_members.map(({ id, problem, serving }) => [
      id,
      problem ? `.mesh/team/${id}.md:${problem.line}:${problem.column}` : `.mesh/team/${id}.md`,
      `${problem?.reason ?? 'it cannot be read'}${serving ? ' (the last good version serves)' : ''}`,
    ]),
    ['BROKEN MEMBER', 'WHERE', 'WHY'],
  );
  terminal.table(
    budgets.map(({ scope, name, state, share, waiting }) => [
      scope,
      printable(name),
      state,
      `${Math.floor((share ?? 0) * 100)} %`,
      String(waiting),
    ]),
    ['BUDGET', 'NAME', 'STATE', 'SPENT', 'TURNS WAITING'],
  );
  if (budgets.length > 0) terminal.note('Go on with `meshd budgets raise <scope>`, or `meshd budgets leave <scope>`.');
  terminal.table(
    schedules.flatMap(({ id, member, needs_you: run }) =>
      run ? [[id, utcTime(run.due_at), member, run.conv ?? '', formatRun(run)]] : [],
    ),
    ['SCHEDULE', 'DUE (UTC)', 'MEMBER', 'CONVERSATION', 'RUN'],
  );
  if (schedules.length > 0) terminal.note('Mark it as seen with `meshd schedule show <schedule> --seen`.');
}

const ANSWERS: Readonly<Record<keyof typeof DECISION_OF, { summary: string; description: string }>> = {
  allow: { summary: "allow an agent's request once", description: "Allow the agent's request once." },
  always: {
    summary: 'allow it, and what a rule covers from now on',
    description:
      'Allow the request, and make a rule: by default for exactly this command, file or tool in this conversation. ' +
      '`meshd inbox show` lists the rules that a question offers; `meshd inbox rules` lists those that hold.',
  },
  deny: { summary: "deny an agent's request", description: 'Deny it; the agent continues without it.' },
};

interface AnswerOptions {
  rule?: string;
  forMember?: boolean;
}

/** Returns the rule that the options choose. Throws `usage` for a number that the question does not offer. */
function chooseRule({ always }: WaitingPermission, { rule = '1', forMember = false }: AnswerOptions): NewRule {
  const offer = always[Number(rule) - 1];
  if (!/^[1-9]\d*$/.test(rule) || !offer)
    throw new CommandError(
      EXIT.usage,
      always.length === 0
        ? 'This question offers no rule: answer it with `meshd inbox allow` or `deny`.'
        : `--rule ${rule}: this question offers 1 to ${always.length}, see \`meshd inbox show\`.`,
      'bad_request',
    );
  return { ...offer, scope: forMember ? 'member' : 'conversation' };
}

async function findQuestion(client: HttpClient, pid: string): Promise<WaitingPermission> {
  const question = (await listQuestions(client)).find((one) => one.pid === pid);
  if (question) return question;
  throw new CommandError(
    EXIT.notFound,
    `There is no question ${pid}, or it has been answered already: see \`meshd inbox\`.`,
    'not_found',
  );
}

function addAnswer(inbox: Command, terminal: Terminal, word: keyof typeof DECISION_OF): void {
  const command = inbox
    .command(word)
    .summary(ANSWERS[word].summary)
    .description(ANSWERS[word].description)
    .argument('<permission>', 'its id, as `meshd inbox` lists it')
    .addHelpText('after', examples(`meshd inbox ${word} perm-0123456789abcdef`));
  if (word === 'always')
    command
      .option('--rule <number>', 'which rule of the question, from 1, the narrowest')
      .option('--for-member', 'in all conversations of the member');
  command.action(
    action<AnswerOptions, [string]>(terminal, async ({ root, json, rule, forMember }, pid) => {
      const { client } = await getDaemon(root);
      const question = await findQuestion(client, pid);
      const always =
        word === 'always'
          ? chooseRule(question, { ...(rule !== undefined && { rule }), ...(forMember && { forMember }) })
          : undefined;
      const decided = await client.send<Permission>('POST', permissionPath(question), {
        body: { decision: DECISION_OF[word], ...(always && { always }) },
      });
      if (json) return terminal.object(decided);
      const said =
        word === 'deny'
          ? 'Denied'
          : always
            ? `Allowed from now on in ${always.scope === 'member' ? `all conversations of ${question.member}` : decided.conv}`
            : 'Allowed this once';
      terminal.answer(`${said}: ${callLine({ name: decided.tool, target: decided.target })}.`);
    }),
  );
}

function addShow(inbox: Command, terminal: Terminal): void {
  inbox
    .command('show')
    .summary('show what a request would do, and the rules it offers')
    .description('Show what an agent wants to do: the whole command, the change, the address; and the rules it offers.')
    .argument('<permission>', 'its id, as `meshd inbox` lists it')
    .addHelpText('after', examples('meshd inbox show perm-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, pid) => {
        const { client } = await getDaemon(root);
        const question = await findQuestion(client, pid);
        if (json) return terminal.object(question);
        for (const line of questionLines(terminal, question.member, question, `meshd inbox allow|always|deny ${pid}`))
          terminal.answer(line);
        terminal.table(
          question.always.map(({ match, value }, at) => [String(at + 1), match, printable(value)]),
          ['RULE', 'ALLOWS', 'VALUE'],
        );
      }),
    );
}

function addRules(inbox: Command, terminal: Terminal): void {
  inbox
    .command('rules')
    .summary('list what agents may do without asking')
    .description('List the rules that `meshd inbox always` and the dashboard made, and how often they were used.')
    .addHelpText('after', examples('meshd inbox rules'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        const list = await client.get<PermissionRuleList>('/permissions/rules');
        if (json) return terminal.object(list);
        if (list.count === 0) return terminal.note('No rules: agents ask each time.');
        terminal.table(
          list.rules.map(({ rule, match, value, scope, member, conv, uses }) => [
            rule,
            match,
            scope === 'member' ? `member ${member}` : conv,
            String(uses),
            printable(value).replaceAll(/\s+/g, ' '),
          ]),
          ['RULE', 'ALLOWS', 'WHERE', 'USED', 'VALUE'],
        );
      }),
    );

  inbox
    .command('revoke')
    .summary('take a rule back')
    .description('Take a rule back: agents ask again.')
    .argument('<rule>', 'its id, as `meshd inbox rules` lists it')
    .addHelpText('after', examples('meshd inbox revoke rule-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, rule) => {
        const { client } = await getDaemon(root);
        const taken = await client.send<PermissionRule>('DELETE', `/permissions/rules/${encodeURIComponent(rule)}`);
        if (json) return terminal.object(taken);
        terminal.answer(`Taken back: ${taken.match} ${printable(taken.value).replaceAll(/\s+/g, ' ')}.`);
      }),
    );
}

export function addInbox(program: Command, terminal: Terminal): void {
  const inbox = program
    .command('inbox')
    .summary('list what needs you, and answer permission questions')
    .description(
      'List what needs you: permission questions of agents, requests that failed within a day, members whose ' +
        'file is broken, budgets that are nearly spent, and runs of schedules that did not go well.',
    )
    .option('--check', 'exit 9 when something needs you')
    .option('--jsonl', 'one JSON object a line, each with its kind')
    .addHelpText(
      'after',
      examples('meshd inbox', 'meshd inbox --check --json', 'meshd inbox allow perm-0123456789abcdef'),
    )
    .action(
      action<{ check?: boolean; jsonl?: boolean }, []>(terminal, async ({ root, json, jsonl, check }) => {
        const { client } = await getDaemon(root);
        const found = await readInbox(client);
        const { permissions, failed_requests, broken_members, budgets, schedules } = found;
        const count = Object.values(found).reduce((sum, { length }) => sum + length, 0);
        if (check && count > 0) terminal.exit = EXIT.needsPerson;
        if (json) return terminal.object({ ...found, count });
        if (jsonl) {
          for (const permission of permissions) terminal.record({ kind: 'permission', ...permission });
          for (const request of failed_requests) terminal.record({ kind: 'failed_request', ...request });
          for (const member of broken_members) terminal.record({ kind: 'broken_member', ...member });
          for (const budget of budgets) terminal.record({ kind: 'budget', ...budget });
          for (const schedule of schedules) terminal.record({ kind: 'schedule', ...schedule });
          return;
        }
        if (count === 0) return terminal.note('Nothing needs you.');
        showInbox(terminal, found);
      }),
    );

  addAnswer(inbox, terminal, 'allow');
  addAnswer(inbox, terminal, 'always');
  addAnswer(inbox, terminal, 'deny');
  addShow(inbox, terminal);
  addRules(inbox, terminal);
}
