import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PropsPatch, Where } from '../../contract/clusters.js';
import { collect } from '../agents/agent.js';
import { parseCount } from '../asks/requests.js';
import { CommandError, EXIT } from '../exit-codes.js';

const RULES = ['where', 'lang', 'entry', 'limits'] as const;
type Rule = (typeof RULES)[number];

export interface PlaceOptions {
  where?: Where;
  lang?: string;
}

export interface RulesOptions extends PlaceOptions {
  ageMin?: number;
  require: string[];
  maxChars?: number;
  clear: Rule[];
}

/** Degrees in another notation, such as `52.52N`, `+13.4` or `52°31'N`. */
const DEGREES = /^[-+\s]*\.?\d[\d.\s°'′"″]*[NSEW]?\s*$/i;

/** Parses `none`, `<lat>,<lon>,<label>`, or a label alone. The daemon validates the numbers. */
function parseWhere(text: string): Where {
  if (text === 'none') return 'none';
  const [lat = '', lon = '', ...label] = text.split(',');
  const isNumber = (part: string) => /^-?\d+(\.\d+)?$/.test(part.trim());
  if (!isNumber(lat) || !isNumber(lon)) {
    // As a label they would be shown to everybody.
    if (DEGREES.test(lat) && DEGREES.test(lon))
      throw new InvalidArgumentError('Write coordinates as numbers of degrees, such as 52.52,13.405,Home.');
    return { label: text };
  }
  if (label.join(',').trim() === '')
    throw new InvalidArgumentError('Say what people call the place: <lat>,<lon>,<label>.');
  return { lat: Number(lat), lon: Number(lon), label: label.join(',').trim() };
}

function parseAge(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a number of years.');
  return Number(text);
}

/** Adds the two rules that a post may have too. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--where <place>', 'none, <lat>,<lon>,<label>, or a label alone', parseWhere)
    .option('--lang <code>', 'language code, such as en or pt-BR');
}

/** Adds the rules of clusters and boards. */
export function addRulesOptions(command: Command): Command {
  return addPlaceOptions(command)
    .option('--age-min <years>', 'from 18 on, only for those who say that they are adults', parseAge)
    .option('--require <tag>', 'what members should bring, for their information; may be repeated', collect, [])
    .option('--max-chars <count>', 'characters that title and body of a post may have together', parseCount);
}

export const clearOption = () =>
  new Option('--clear <rule>', 'take a rule away, so that it inherits again; may be repeated')
    .choices(RULES)
    .argParser((value: string, before: Rule[] = []) => {
      if (!(RULES as readonly string[]).includes(value))
        throw new InvalidArgumentError(`It must be one of ${RULES.join(', ')}.`);
      return [...before, value as Rule];
    })
    .default([]);

/**
 * The given rules in the form that the daemon accepts; undefined when there are none. Throws `bad_request` for a rule
 * that is both set and cleared.
 */
export function parseRules({
  where,
  lang,
  ageMin,
  require: tags = [],
  maxChars,
  clear = [],
}: Partial<RulesOptions>): PropsPatch | undefined {
  const set: PropsPatch = {
    ...(where !== undefined && { where }),
    ...(lang !== undefined && { lang }),
    ...((ageMin !== undefined || tags.length > 0) && {
      entry: { ...(ageMin !== undefined && { age_min: ageMin }), ...(tags.length > 0 && { require: tags }) },
    }),
    ...(maxChars !== undefined && { limits: { post_max_chars: maxChars } }),
  };
  const both = clear.find((rule) => set[rule] !== undefined);
  if (both !== undefined)
    throw new CommandError(EXIT.usage, `"${both}" is both set and cleared: do one of them.`, 'bad_request');
  const all = { ...set, ...Object.fromEntries(clear.map((rule) => [rule, null])) };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** The displayed form of a place: its label, never its coordinates. */
export const formatPlace = (where: Where | null | undefined) =>
  where == null ? '' : where === 'none' ? 'anywhere' : where.label;
