import type { Place, Places } from '../places.js';
import type { FormName } from '../question-patterns.js';
import type { StructureQueries } from '../structure-queries.js';
import { at, code, count, distinct, names, namesOf, type Said } from './answer-text.js';

/** Answers a question about a whole list; undefined when the list is empty. */
export function answerList(form: FormName, queries: StructureQueries): Said | undefined {
  const found = listOf(form, queries);
  if (!found || found.places.total === 0) return undefined;
  const { places, say, label } = found;
  return {
    lead: say(places),
    total: places.total,
    items: places.places.map((one) => ({ ...one, label: label(one) })),
  };
}

/** Answers where one environment variable is read; undefined when no code that is known reads it. */
export function answerVariable(name: string, queries: StructureQueries): Said | undefined {
  const { total, places } = queries.readsOfVariable(name);
  if (total === 0) return undefined;
  return {
    lead: `${code(name)} is read in ${count(total, 'place')}.`,
    total,
    items: places.map((one) => ({ ...one, label: one.container === '' ? '' : `default ${code(one.container)}` })),
  };
}

function listOf(
  form: FormName,
  queries: StructureQueries,
): { places: Places; say: (places: Places) => string; label: (one: Place) => string } | undefined {
  const withDetail = (one: Place) => `${code(one.text)}${one.container === '' ? '' : ` (${code(one.container, 80)})`}`;
  switch (form) {
    case 'environment': {
      const places = queries.environmentOfSources();
      const more = namesOf(places.elsewhere);
      return {
        places,
        say: (all) =>
          `The project reads ${count(distinct(all), 'environment variable')} in ${count(all.total, 'place')}: ${names(all)}.${more === '' ? '' : ` Only its tests and examples read ${more}.`}`,
        label: (one) => (one.container === '' ? code(one.text) : `${code(one.text)}, default ${code(one.container)}`),
      };
    }
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
          `The project throws or returns ${count(distinct(all), 'kind')} of errors in ${count(all.total, 'place')}: ${names(all)}.`,
        label: (one) => code(one.text),
      };
    case 'entries':
      return {
        places: queries.entryPoints(),
        say: (all) => {
          const [first] = all.places as [Place];
          const others = all.total === 1 ? '' : ` It has ${count(all.total, 'entry point')}.`;
          return `The project starts in ${code(first.text)} (${first.container}, ${at(first)}).${others}`;
        },
        label: withDetail,
      };
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
