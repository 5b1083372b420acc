import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FoundAgent, SearchBody, SearchResult } from '../../contract/network/oracle.js';
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
  country?: string;
  limit: number;
  explain?: boolean;
  jsonl?: boolean;
}

function parsePrice(text: string): number {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount) || amount < 0)
    throw new InvalidArgumentError('It must be an amount in US dollars, 0 or more.');
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
    ...(maxPrice !== undefined && { max_price_usd: maxPrice }),
    ...(country !== undefined && { country }),
  };
}

const share = (value: number | null) => (value === null ? '–' : value.toFixed(2));

function row({ agent_id, oracle_score, online, promoted, pricing, description }: FoundAgent): string[] {
  return [
    agent_id,
    share(oracle_score),
    `${online ? 'online' : 'offline'}${promoted ? ', promoted' : ''}`,
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
  max_price_usd: '--max-price',
  country: '--country',
};

/** Notes how many agents each constraint excluded, so that the user sees which one to loosen. */
function noteLeftOut(terminal: Terminal, { unfilterable, filtered }: SearchResult): void {
  for (const { constraint, reason, dropped } of unfilterable)
    terminal.note(printable(`${OPTIONS[constraint] ?? constraint} excluded ${dropped}: ${reason}`));
  for (const [filter, count] of Object.entries(filtered ?? {}))
    if (count > 0) terminal.note(printable(`${OPTIONS[filter] ?? filter} excluded ${count}.`));
}

export function addFind(program: Command, terminal: Terminal): void {
  program
    .command('find')
    .summary('search for agents by what they do')
    .description(
      'Search the hub’s and the unified API’s agents by words and meaning, the best first; those online only, unless --all.',
    )
    .argument('<words>', 'what the agent should do, in plain words')
    .option('--all', 'also those that are offline')
    .option('--capability <word>', 'only with this capability')
    .option('--tag <word>', 'only with this tag; may be repeated', collect, [])
    .option('--category <name>', 'only of this category and those under it')
    .option('--protocol <name>', 'only that speak it; may be repeated', collect, [])
    .option('--input <type>', 'only that accept this media type')
    .option('--output <type>', 'only that produce this media type')
    .option('--max-price <usd>', 'only up to this price in US dollars', parsePrice)
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
        const agents: FoundAgent[] = [];
        let first: SearchResult | undefined;
        let cursor: string | null = null;
        do {
          const limit = Math.min(PAGE_ROWS, options.limit - agents.length);
          const filters = { ...listFilters(options), limit, ...(cursor === null ? {} : { cursor }) };
          const body: SearchBody = { query, filters, ...(options.explain && { explain: true }) };
          const page: SearchResult = await client.send<SearchResult>('POST', '/v1/search', { body });
          first ??= page;
          agents.push(...page.agents);
          cursor = page.next_cursor;
        } while (cursor !== null && agents.length < options.limit);
        if (json) return terminal.object({ ...first, agents, count: agents.length, next_cursor: cursor });
        if (options.jsonl) return agents.forEach((agent) => void terminal.record(agent));
        if (agents.length === 0)
          terminal.note(options.all ? 'No agent matches.' : 'No online agent matches: --all includes offline ones.');
        else if (options.explain) terminal.table(agents.map(explainedRow), EXPLAINED_HEAD);
        else terminal.table(agents.map(row), HEAD);
        noteLeftOut(terminal, first);
        if (cursor !== null) terminal.note(`There are more: --limit ${options.limit * 2}.`);
      }),
    );
}
