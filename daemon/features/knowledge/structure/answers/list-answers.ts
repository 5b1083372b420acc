import type { EnvironmentScope } from '../../project-facts/environment-scope.js';
import type { Place, Places } from '../places.js';
import type { FormName } from '../question-patterns.js';
import type { StructureQueries } from '../structure-queries.js';
import { type AnswerParts, at, code, count, distinct, formatNames, names } from './answer-text.js';

const ENTRIES_NAMED = 3;
/** So many variables are named at once: who asks for them wants all. */
const VARIABLES_MAX = 60;

/** What a question limits its list to, and what the project is called. */
interface Asked {
  scope?: EnvironmentScope;
  names?: readonly string[];
}

/** Answers a question about a whole list; undefined when the list is empty. */
export function answerList(form: FormName, queries: StructureQueries, asked: Asked = {}): AnswerParts | undefined {
  const found = findList(form, queries, asked);
  if (!found || found.places.total === 0) return undefined;
  const { places, say, label } = found;
  return {
    lead: say(places),
    total: places.total,
    items: places.places.map((one) => ({ ...one, label: label(one) })),
  };
}

/** Answers where one environment variable is read; undefined when no code that is known reads it. */
export function answerVariable(name: string, queries: StructureQueries): AnswerParts | undefined {
  const { total, places } = queries.readsOfVariable(name);
  if (total === 0) return undefined;
  return {
    lead: `${code(name)} is read in ${count(total, 'place')}.`,
    total,
    items: places.map((one) => ({ ...one, label: one.container === '' ? '' : `default ${code(one.container)}` })),
  };
}

/** A list, its introducing sentence, and the text of each place. */
interface List {
  places: Places;
  say: (places: Places) => string;
  label: (one: Place) => string;
}

const withDetail = (one: Place) => `${code(one.text)}${one.container === '' ? '' : ` (${code(one.container, 80)})`}`;

function environmentList(queries: StructureQueries, scope: EnvironmentScope | undefined): List {
  const places = queries.environmentOfSources(scope);
  const elsewhere = formatNames(places.elsewhere, VARIABLES_MAX);
  const more = elsewhere === '' ? '' : ` Only its tests, examples and build scripts read ${elsewhere}.`;
  return {
    places,
    say: (all) =>
      `The project reads ${count(distinct(all), 'environment variable')} in ${count(all.total, 'place')}: ` +
      `${names(all, VARIABLES_MAX)}.${more}`,
    label: (one) => (one.container === '' ? code(one.text) : `${code(one.text)}, default ${code(one.container)}`),
  };
}

function entryList(queries: StructureQueries, called: readonly string[] | undefined): List {
  return {
    places: queries.entryPoints(called),
    say: (all) => {
      const [first, ...others] = all.places
        .slice(0, ENTRIES_NAMED)
        .map((one) => `${code(one.text)} (${one.container}, ${at(one)})`);
      const also = others.length === 0 ? '' : `, also in ${others.join(' and ')}`;
      const more = all.total > ENTRIES_NAMED ? ` There are ${all.total} entry points.` : '';
      return `The project starts in ${first}${also}.${more}`;
    },
    label: withDetail,
  };
}

function findList(form: FormName, queries: StructureQueries, { scope, names: called }: Asked): List | undefined {
  switch (form) {
    case 'environment':
      return environmentList(queries, scope);
    case 'routes':
      return {
        places: queries.routes(),
        say: (all) => `The project has ${count(all.total, 'route')} in ${count(all.files, 'file')}.`,
        label: withDetail,
      };
    case 'scripts':
      return {
        places: queries.scripts(),
        say: (all) => `The project has ${count(all.total, 'script')}: ${names(all)}.`,
        label: (one) => code(one.text),
      };
    case 'errors':
      return {
        places: queries.errors(),
        say: (all) =>
          `The project throws or returns ${count(distinct(all), 'kind')} of errors in ` +
          `${count(all.total, 'place')}: ${names(all)}.`,
        label: (one) => code(one.text),
      };
    case 'entries':
      return entryList(queries, called);
    case 'parts':
      return {
        places: queries.mainParts(),
        say: (all) =>
          `The parts that most of the project depends on: ${all.places
            .slice(0, 6)
            .map(({ path }) => code(path))
            .join(', ')}.`,
        label: (one) => (one.text === '' ? '' : code(one.text)),
      };
    default:
      return undefined;
  }
}
