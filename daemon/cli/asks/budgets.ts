import { type Command, InvalidArgumentError } from 'commander';
import {
  BUDGET_KINDS,
  BUDGET_RAISE_PERCENT,
  type Budget,
  type BudgetEdit,
  type BudgetKind,
  type BudgetLimits,
  type BudgetList,
  type BudgetRaise,
} from '../../contract/work/budgets.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';

/** The parser of options takes null for an option without a value, so that no limit is a word until it is sent. */
type Limit = number | 'none';

interface LimitOptions {
  tokens?: Limit;
  cost?: Limit;
  minutes?: Limit;
  turns?: Limit;
}

const SCOPE = 'day, member:<id> or conversation:<id>';
const path = (scope: string, more = '') => `/budgets/${encodeURIComponent(scope)}${more}`;

const parseLimit =
  (isWhole: boolean) =>
  (text: string): Limit => {
    if (text === 'none') return text;
    if ((isWhole ? /^\d{1,15}$/ : /^\d{1,15}(\.\d{1,6})?$/).test(text) && Number(text) > 0) return Number(text);
    throw new InvalidArgumentError(`It must be a ${isWhole ? 'whole number' : 'number'} above 0, or none.`);
  };

function parsePercent(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000.');
}

const addLimits = (command: Command) =>
  command
    .option('--tokens <count>', 'tokens in and out together, or none for no limit', parseLimit(true))
    .option('--cost <dollars>', 'cost in US dollars as clients report it, or none', parseLimit(false))
    .option('--minutes <count>', 'minutes that turns run, or none', parseLimit(false))
    .option('--turns <count>', 'turns that start, or none', parseLimit(true));

function toEdit({ tokens, cost, minutes, turns }: LimitOptions): BudgetEdit {
  const given = { tokens, cost_usd: cost, minutes, turns };
  const limits = Object.entries(given).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(limits.map(([kind, limit]) => [kind, limit === 'none' ? null : limit])) as BudgetEdit;
}

const amount = (kind: BudgetKind, value: number) =>
  kind === 'cost_usd' ? `$${value.toFixed(2)}` : value.toLocaleString('en', { maximumFractionDigits: 1 });

/** `34 of 100 (34 %)`. Clients that report nothing are named instead of a number that means nothing. */
function formatKind({ limits, spent, shares, not_reported }: Budget, kind: BudgetKind): string {
  const limit = limits[kind];
  const silent = kind === 'tokens' || kind === 'cost_usd' ? not_reported[kind] : [];
  const unknown = silent.length === 0 ? '–' : `not reported by ${silent.join(', ')}`;
  const taken = spent[kind] === null ? unknown : amount(kind, spent[kind]);
  if (limit === null) return taken;
  return `${taken} of ${amount(kind, limit)} (${Math.floor((shares[kind] ?? 0) * 100)} %)`;
}

const toRow = (budget: Budget) => [
  budget.scope,
  printable(budget.name),
  budget.share === null ? 'no limit' : budget.state,
  ...BUDGET_KINDS.map((kind) => formatKind(budget, kind)),
  budget.waiting === 0 ? '' : String(budget.waiting),
];

const HEADS = ['SCOPE', 'NAME', 'STATE', 'TOKENS', 'COST', 'MINUTES', 'TURNS', 'WAITING'];

async function listBudgets(terminal: Terminal, { root, json }: Common): Promise<void> {
  const { client } = await getDaemon(root);
  const list = await client.get<BudgetList>('/budgets');
  if (json) return terminal.object(list);
  terminal.table(list.budgets.map(toRow), HEADS);
  terminal.note(`Today is ${list.day}, until ${list.ends_at} (${list.time_zone}).`);
}

function show(terminal: Terminal, budget: Budget, json: boolean | undefined): void {
  if (json) terminal.object(budget);
  else terminal.table([toRow(budget)], HEADS);
}

async function setBudget(terminal: Terminal, options: LimitOptions & Common, scope: string): Promise<void> {
  const edit = toEdit(options);
  if (Object.keys(edit).length === 0)
    throw new CommandError(EXIT.usage, 'Give at least one of --tokens, --cost, --minutes and --turns.', 'bad_request');
  const { client } = await getDaemon(options.root);
  const { lasting } = await client.get<{ lasting: BudgetLimits }>(path(scope));
  show(terminal, await client.send<Budget>('PUT', path(scope), { body: { ...lasting, ...edit } }), options.json);
}

interface RaiseOptions extends LimitOptions {
  percent?: number;
  today?: boolean;
}

async function raiseBudget(terminal: Terminal, options: RaiseOptions & Common, scope: string): Promise<void> {
  const limits = toEdit(options);
  const { percent, today = false } = options;
  if (percent !== undefined && Object.keys(limits).length > 0)
    throw new CommandError(EXIT.usage, 'Give either --percent or new limits.', 'bad_request');
  const isGiven = Object.keys(limits).length > 0;
  const raise: BudgetRaise = {
    ...(isGiven ? { limits } : { percent: percent ?? BUDGET_RAISE_PERCENT }),
    ...(today && { today }),
  };
  const { client } = await getDaemon(options.root);
  show(terminal, await client.send<Budget>('POST', path(scope, '/raise'), { body: raise }), options.json);
}

function addEdits(budgets: Command, terminal: Terminal): void {
  addLimits(
    budgets
      .command('set')
      .summary('set limits of a budget')
      .description('Set limits. Others of the same scope stay. Running turns that are over a new limit end.')
      .argument('<scope>', SCOPE),
  )
    .addHelpText(
      'after',
      examples('meshd budgets set day --cost 20', 'meshd budgets set member:developer --tokens 2000000 --turns none'),
    )
    .action(action<LimitOptions, [string]>(terminal, (options, scope) => setBudget(terminal, options, scope)));

  addLimits(
    budgets
      .command('raise')
      .summary('raise a budget that is nearly spent, and go on')
      .description(
        'Raise the limits that are reached or nearly so, or set higher ones. Turns that waited for it start.',
      )
      .argument('<scope>', SCOPE)
      .option('--percent <count>', `by so much, ${BUDGET_RAISE_PERCENT} without another option`, parsePercent)
      .option('--today', 'only until midnight'),
  )
    .addHelpText('after', examples('meshd budgets raise day', 'meshd budgets raise day --cost 30 --today'))
    .action(action<RaiseOptions, [string]>(terminal, (options, scope) => raiseBudget(terminal, options, scope)));
}

function addEndings(budgets: Command, terminal: Terminal): void {
  budgets
    .command('leave')
    .summary('leave a budget as it is')
    .description('Leave a budget as it is: it is in the inbox no more until its state changes. Its turns wait on.')
    .argument('<scope>', SCOPE)
    .addHelpText('after', examples('meshd budgets leave member:developer'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, scope) => {
        const { client } = await getDaemon(root);
        const budget = await client.send<Budget>('POST', path(scope, '/leave'));
        if (json) return terminal.object(budget);
        terminal.answer(`Left as it is: ${budget.scope}.`);
      }),
    );

  budgets
    .command('clear')
    .summary('remove the limits of a budget')
    .description('Remove the limits of a budget. What was spent stays counted.')
    .argument('<scope>', SCOPE)
    .addHelpText('after', examples('meshd budgets clear day'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, scope) => {
        const { client } = await getDaemon(root);
        await client.send('DELETE', path(scope));
        if (json) return terminal.object({ cleared: scope });
        terminal.answer(`No limits any more: ${printable(scope)}.`);
      }),
    );
}

/** Adds `budgets`. */
export function addBudgets(program: Command, terminal: Terminal): void {
  const budgets = program
    .command('budgets')
    .summary('what turns may spend, and what they have spent')
    .description(
      'List budgets: limits of tokens, cost, minutes and turns, of a conversation, of a member per day, or of a day ' +
        'in all. At 80 % of a limit the inbox says so. At a limit running turns end with what they have, and no other ' +
        'one starts until it is raised. A limit can be overrun by what the running turns take until their clients ' +
        'report again.',
    )
    .addHelpText('after', examples('meshd budgets', 'meshd budgets set day --cost 20', 'meshd budgets raise day'))
    .action(action<object, []>(terminal, (options) => listBudgets(terminal, options)));
  addEdits(budgets, terminal);
  addEndings(budgets, terminal);
}
