import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FoundAgent, NotCallable, SearchBody, SearchResult } from '../../contract/network/oracle.js';
import type { FoundElsewhere } from '../../contract/projects.js';
import { action, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { PAGE_ROWS } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { collect } from './agent.js';
import { formatPrice } from './agent-show.js';

const DEFAULT_ROWS = 20;

interface FindOptions {
  all?: boolean;
  capability?: string;
  tag: string[];
  category?: string;
  protocol: string[];
  input?: string;
  output?: string;
  maxPrice?: number;
  currency?: string;
  country?: string;
  limit: number;
  explain?: boolean;
  jsonl?: boolean;
}

function parsePrice(text: string): number {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount) || amount < 0)
    throw new InvalidArgumentError(
      'It must be an amount, 0 or more; --currency names another currency than US dollars.',
    );
  return amount;
}

function listFilters({
  all,
  capability,
  tag,
  category,
  protocol,
  input,
  output,
  maxPrice,
  currency,
  country,
}: FindOptions): NonNullable<SearchBody['filters']> {
  return {
    ...(all && { online_only: false }),
    ...(capability !== undefined && { capability }),
    ...(tag.length > 0 && { tags: tag }),
    ...(category !== undefined && { category }),
    ...(protocol.length > 0 && { protocols: protocol }),
    ...(input !== undefined && { input_mode: input }),
    ...(output !== undefined && { output_mode: output }),
    ...(maxPrice !== undefined && { max_price: maxPrice }),
    ...(currency !== undefined && { currency }),
    ...(country !== undefined && { country }),
  };
}

const share = (value: number | null) => (value === null ? '–' : value.toFixed(2));

/** Why an agent cannot be called, without what its state says already. */
const cannot: Readonly<Record<NotCallable['code'], string>> = {
  no_endpoint: 'no endpoint',
  offline: '',
  currency_not_payable: 'not payable',
  needs_wallet: 'needs a wallet',
};

function row({
  agent_id,
  call,
  oracle_score,
  online,
  not_callable,
  promoted,
  pricing,
  description,
}: FoundAgent): string[] {
  const reasons = (not_callable ?? []).map(({ code }) => cannot[code]).filter((reason) => reason !== '');
  return [
    call ?? agent_id,
    share(oracle_score),
    [online ? 'online' : 'offline', ...(promoted ? ['promoted'] : []), ...reasons].join(', '),
    formatPrice(pricing),
    description ?? '',
  ];
}

/** The parts of a score, in the order of `EXPLAINED_HEAD`. */
function explainedRow(agent: FoundAgent): string[] {
  const { why } = agent;
  const [id = '', score = '', state = '', price = '', description = ''] = row(agent);
  const parts = why
    ? [
        ...[why.text, why.semantic, why.capability, why.reputation].map(share),
        why.asked === 0 ? share(null) : `${share(why.response_rate)} of ${why.asked}`,
        String(why.message_through),
        share(why.promoted),
      ]
    : ['', '', '', '', '', '', ''];
  return [id, score, ...parts, state, price, description];
}

const HEAD = ['AGENT', 'SCORE', 'STATE', 'PRICE', 'DESCRIPTION'];
const EXPLAINED_HEAD = [
  'AGENT',
  'SCORE',
  'TEXT',
  'MEANING',
  'CAPABILITY',
  'REPUTATION',
  'ANSWERED',
  'MESSAGES',
  'PROMOTED',
  'STATE',
  'PRICE',
  'DESCRIPTION',
];

/** The option that sets each filter. */
const OPTIONS: Readonly<Record<string, string>> = {
  online_only: 'Leaving out --all',
  capability: '--capability',
  tags: '--tag',
  category: '--category',
  protocols: '--protocol',
  input_mode: '--input',
  output_mode: '--output',
  max_price: '--max-price',
  country: '--country',
};

/** Why a filter could not be applied to a row. */
const LACKS: Readonly<Record<string, string>> = {
  no_category: 'without a category',
  no_protocols: 'without a protocol',
  no_accepts: 'without accepted types',
  no_produces: 'without produced types',
  no_price: 'not comparable, without a price',
  no_lamports_rate: 'not comparable, priced in lamports, which have no rate here (MESHD_LAMPORTS_USD)',
  unknown_currency: 'not comparable, priced in a currency without a rate (MESHD_RATES)',
  no_rate_of_limit: 'not comparable, the currency of the limit has no rate here (MESHD_RATES, MESHD_LAMPORTS_USD)',
  no_country: 'without a country',
};

/** Notes how many agents each constraint excluded, so that the user sees which one to loosen. */
function noteLeftOut(terminal: Terminal, { unfilterable, filtered }: SearchResult): void {
  for (const { constraint, reason, dropped } of unfilterable)
    terminal.note(printable(`${OPTIONS[constraint] ?? constraint} excluded ${dropped}: ${LACKS[reason] ?? reason}`));
  for (const [filter, count] of Object.entries(filtered ?? {}))
    if (count > 0) terminal.note(printable(`${OPTIONS[filter] ?? filter} excluded ${count}.`));
}

/** Says once what would help where agents cannot be called. */
function noteNotCallable(terminal: Terminal, agents: readonly FoundAgent[]): void {
  const messages = agents.flatMap(({ not_callable = [] }) =>
    not_callable.flatMap(({ code, message }) => (cannot[code] === '' ? [] : [`${cannot[code]}: ${message}`])),
  );
  for (const message of new Set(messages)) terminal.note(printable(message));
}

export function addFind(program: Command, terminal: Terminal): void {
  program
    .command('find')
    .summary('search for agents by what they do')
    .description(
      'Search the hub’s and the unified API’s agents by words and meaning, the best first; those online only, unless --all. Exposed members of your other running projects are among them, as <project>/<member>.',
    )
    .argument('<words>', 'what the agent should do, in plain words')
    .option('--all', 'also those that are offline')
    .option('--capability <word>', 'only with this capability')
    .option('--tag <word>', 'only with this tag; may be repeated', collect, [])
    .option('--category <name>', 'only of this category and those under it')
    .option('--protocol <name>', 'only that speak it; may be repeated', collect, [])
    .option('--input <type>', 'only that accept this media type')
    .option('--output <type>', 'only that produce this media type')
    .option('--max-price <amount>', 'only up to this price, in US dollars unless --currency names another', parsePrice)
    .option('--currency <code>', 'currency of --max-price, such as EUR or lamports')
    .addOption(new Option('--country <code>', 'only of this country, two letters'))
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .option('--explain', 'show how each score is made, and what each filter excluded')
    .addHelpText(
      'after',
      examples('meshd find "paint a picture" --max-price 0.10', 'meshd find "translate" --output text/plain --explain'),
    )
    .action(
      action<FindOptions, [string]>(terminal, async ({ root, json, ...options }, query) => {
        const { client } = await getDaemon(root);
        const explain = options.explain && { explain: true };
        const elsewhere = await client.send<FoundElsewhere>('POST', '/projects/search', {
          body: { query, filters: { ...listFilters(options), limit: Math.min(PAGE_ROWS, options.limit) }, ...explain },
        });
        const own: FoundAgent[] = [];
        let first: SearchResult | undefined;
        let cursor: string | null = null;
        do {
          const limit = Math.min(PAGE_ROWS, options.limit - own.length);
          const filters = { ...listFilters(options), limit, ...(cursor === null ? {} : { cursor }) };
          const body: SearchBody = { query, filters, ...explain };
          const page: SearchResult = await client.send<SearchResult>('POST', '/v1/search', { body });
          first ??= page;
          own.push(...page.agents);
          cursor = page.next_cursor;
        } while (cursor !== null && own.length < options.limit);
        const all = [...own, ...elsewhere.agents].sort((a, b) => b.oracle_score - a.oracle_score);
        const agents = all.slice(0, options.limit);
        // No cursor leads to these: the agents of other projects have none, and own ones lie before theirs.
        const left = all.length > agents.length && { left_out: all.length - agents.length };
        if (json) return terminal.object({ ...first, agents, count: agents.length, next_cursor: cursor, ...left });
        if (options.jsonl) return agents.forEach((agent) => void terminal.record(agent));
        if (agents.length === 0)
          terminal.note(options.all ? 'No agent matches.' : 'No online agent matches: --all includes offline ones.');
        else if (options.explain) terminal.table(agents.map(explainedRow), EXPLAINED_HEAD);
        else terminal.table(agents.map(row), HEAD);
        noteNotCallable(terminal, agents);
        noteLeftOut(terminal, first);
        if (cursor !== null || left) terminal.note(`There are more: --limit ${options.limit * 2}.`);
      }),
    );
}
