import type { Cite } from '../composition.js';
import { type ComposedAnswer, NO_MODEL_LINE } from '../knowledge.js';
import type { Intent } from '../newcomers/intent.js';
import { isBelow } from '../project-facts/environment-scope.js';
import type { ReadLines } from '../search.js';
import {
  type AnswerParts,
  at,
  byName,
  code,
  count,
  definitionItem,
  formatTitle,
  LINE_MAX,
  names,
  shown,
} from './answers/answer-text.js';
import { FileAnswers } from './answers/file-answers.js';
import { answerList, answerVariable } from './answers/list-answers.js';
import { answerNoEnvironment } from './answers/no-environment.js';
import { type Definition, type Place, type Places, splitName } from './places.js';
import { readStructureQuestion, type StructureQuestion } from './question-forms.js';
import type { FormName } from './question-patterns.js';
import type { StructureQueries } from './structure-queries.js';

const SHOWN_MAX = 20;
const CITED_LINES = 6;
/** A loose wording counts only for a name with few definitions: a common word is no question about code. */
const LOOSE_MAX = 12;

/** Whether a name is no English word by its letters. */
const isCodeName = (name: string) => /[a-z0-9][A-Z]|_|::|\.|#/.test(name);

/** The files of the index. */
interface Sources {
  paths(): readonly string[];
  linesOf: ReadLines;
}

/** Drops `in <the project>` at the end of a question: everything here is in it. */
function withoutProject(text: string, names: readonly string[]): string {
  const named = names.map((name) => name.replaceAll(/[^\w]/g, '.')).join('|');
  if (named === '') return text;
  return text.replace(
    new RegExp(`\\s+(?:in|within|of|across|anywhere in) (?:the )?(?:${named})(?=\\s*[?.!]*\\s*$)`, 'i'),
    '',
  );
}

const toListForm = (intent: Intent | undefined): FormName | undefined =>
  intent?.kind === 'entry' && !intent.isLibrary
    ? 'entries'
    : intent?.kind === 'environment'
      ? 'environment'
      : undefined;

export const STRUCTURE_PENDING =
  'The structure index (definitions, calls, imports) is still being built; this answer is from the text search.';

/** An answer with the form of question that was recognised. */
interface StructureAnswer {
  answer: ComposedAnswer;
  form: FormName;
}

/** Answers questions about structure with a count and the whole list of places. */
export class StructureAnswers {
  private readonly files: FileAnswers;

  constructor(
    private readonly queries: StructureQueries,
    private readonly cite: Cite,
    private readonly isReady: () => boolean,
    private readonly sources: Sources,
  ) {
    this.files = new FileAnswers(queries);
  }

  /**
   * `intent` and `names` are what a newcomer's question was recognised as and what the project is called. Returns the
   * answer; `pending` for a question of this kind while the graph is not complete; undefined when it is
   * another kind of question, or names nothing of the graph.
   */
  answer(text: string, intent?: Intent, names: readonly string[] = []): StructureAnswer | 'pending' | undefined {
    const list = toListForm(intent);
    if (intent?.kind === 'entry' && list === undefined) return undefined;
    const question = list === undefined ? readStructureQuestion(withoutProject(text, names)) : undefined;
    if (list === undefined && !question) return undefined;
    if (!this.isReady()) return 'pending';
    const said = question ? this.say(question) : this.list(list as FormName, intent, names);
    return said && { answer: this.compose(said), form: list ?? (question as StructureQuestion).form };
  }

  private list(form: FormName, intent: Intent | undefined, names: readonly string[]): AnswerParts | undefined {
    if (intent?.kind !== 'environment') return answerList(form, this.queries, { names });
    const paths = this.sources.paths();
    const isThere = (folder: string) => paths.some((path) => isBelow(path, folder));
    const scope = { ...intent.scope, folders: intent.scope.folders.filter(isThere) };
    return (
      answerList(form, this.queries, { scope }) ??
      answerNoEnvironment(paths, scope, this.queries.environmentOfSources(scope), (path) => this.sources.linesOf(path))
    );
  }

  private say(question: StructureQuestion): AnswerParts | undefined {
    const { form, name } = question;
    switch (form) {
      case 'definition':
        return this.definition(question);
      case 'callers':
        return (
          this.describePassedValue(name) ??
          this.uses(name, this.queries.callers(name), 'called', 'Nobody calls it', 'defined and never called')
        );
      case 'uses':
        return this.uses(name, this.queries.references(name), 'used', 'Nobody uses it', 'defined and never used');
      case 'subclasses':
        return this.uses(
          name,
          this.queries.subclasses(name),
          'extended',
          'Nothing extends it',
          'defined and never extended',
        );
      case 'implementers':
        return this.uses(
          name,
          this.queries.implementers(name),
          'implemented',
          'Nothing implements it',
          'defined and never implemented',
        );
      case 'callees':
        return this.callees(name);
      case 'importers':
        return this.files.importers(name);
      case 'imports':
        return this.files.imports(name);
      case 'dependents':
        return (
          this.files.dependents(name) ??
          this.uses(name, this.queries.references(name), 'used', 'Nobody uses it', 'defined and never used')
        );
      case 'parameters':
      case 'default':
        return this.parameters(question);
      case 'value':
        return this.value(question);
      case 'thrown':
        return this.thrown(name);
      case 'variable':
        return answerVariable(name, this.queries);
      default:
        return answerList(form, this.queries);
    }
  }

  private definition({ name, isLoose }: StructureQuestion): AnswerParts | undefined {
    const { total, places } = this.queries.definitions(name);
    const first = places[0];
    if (!first) return undefined;
    if (isLoose && (total > LOOSE_MAX || (first.role > 0 && !isCodeName(name)))) return undefined;
    const others = places.slice(1);
    const what = `${code(formatTitle(first))} (${first.kind})`;
    const doc = first.doc === '' ? '' : ` ${first.doc}`;
    const lead =
      total === 1
        ? `${what} is defined in ${at(first)}.${doc}`
        : `${code(name)} has ${total} definitions; the first is ${what} in ` +
          `${at(first)}.${others.every((one) => one.role > 0) ? doc : ''}`;
    return { lead, total, items: places.map(definitionItem) };
  }

  private uses(name: string, found: Places, verb: string, none: string, never: string): AnswerParts | undefined {
    const { total: definitions, places } = this.queries.definitions(name);
    const first = places[0];
    if (!first) return this.foreignUses(name, found, verb);
    const what = code(shown(name, first));
    const notes = [...this.ambiguous(places, definitions, found.perDefinition), ...byName(found)];
    if (found.total === 0)
      return {
        lead: `${none}: ${what} is ${never} in this project (defined in ${at(first)}).`,
        notes,
        total: 0,
        items: places.slice(0, 1).map(definitionItem),
      };
    const lead =
      `${what} is ${verb} ${verb === 'called' ? 'from' : verb === 'used' ? 'in' : 'by'} ` +
      `${count(found.total, verb === 'called' || verb === 'used' ? 'place' : 'class', 'es')} in ` +
      `${count(found.files, 'file')}.`;
    return {
      lead,
      notes,
      total: found.total,
      items: found.places.map((one) => ({ ...one, label: one.container === '' ? '' : code(one.container) })),
    };
  }

  /** What nobody calls by its name, but is handed on as a value, from where it can be called. */
  private describePassedValue(name: string): AnswerParts | undefined {
    const first = this.queries.definitions(name).places[0];
    if (!first || !/^(?:function|method)$/.test(first.kind) || this.queries.callers(name).total > 0) return undefined;
    const { total, files, places, byName: isNamed } = this.queries.references(name);
    if (total === 0 || isNamed) return undefined;
    return {
      lead:
        `${code(shown(name, first))} (${at(first)}) is not called under its name; ` +
        `it is handed on in ${count(total, 'place')} in ${count(files, 'file')}.`,
      total,
      items: places.map((one) => ({ ...one, label: one.container === '' ? '' : code(one.container) })),
    };
  }

  /** Uses of what a library or the language defines. A name that is also an English word is left to the text search. */
  private foreignUses(name: string, found: Places, verb: string): AnswerParts | undefined {
    if (found.total === 0 || !/[a-z][A-Z]|_|\.|::/.test(name)) return undefined;
    const places = `${count(found.total, 'place')} in ${count(found.files, 'file')}`;
    return {
      lead: `${code(name)} is ${verb} ${verb === 'called' ? 'from' : 'in'} ${places}; this project does not define it.`,
      notes: byName(found),
      total: found.total,
      items: found.places.map((one) => ({ ...one, label: one.container === '' ? '' : code(one.container) })),
    };
  }

  /** Names every definition where a name has several, since the places are those of all of them. */
  private ambiguous(places: readonly Definition[], total: number, counts?: ReadonlyMap<string, number>): string[] {
    const sources = places.filter((one) => one.role === 0);
    if (sources.length < 2) return [];
    const named = sources.slice(0, 6).map((one) => {
      const of = counts ? `, ${counts.get(`${one.path}:${one.startLine}`) ?? 0} of them` : '';
      return `${code(formatTitle(one))} (${one.kind}, ${at(one)}${of})`;
    });
    const rest = total > named.length ? `, and ${total - named.length} more` : '';
    return [
      `The name has ${total} definitions: ${named.join(', ')}${rest}. Ask with a qualified name for one of them.`,
    ];
  }

  private callees(name: string): AnswerParts | undefined {
    const { places } = this.queries.definitions(name);
    const first = places[0];
    if (!first) return undefined;
    const found = this.queries.callees(name);
    const lead =
      found.total === 0
        ? `${code(shown(name, first))} calls nothing of this project (defined in ${at(first)}).`
        : `${code(shown(name, first))} calls ${count(found.total, 'name')} of this project.`;
    const items =
      found.total === 0 ? [definitionItem(first)] : found.places.map((one) => ({ ...one, label: code(one.text) }));
    return { lead, notes: [...this.ambiguous(places, places.length), ...byName(found)], total: found.total, items };
  }

  private parameters({ name, parameter }: StructureQuestion): AnswerParts | undefined {
    const { total, places } = this.queries.parameters(name);
    const first = places[0];
    if (!first?.parameters)
      return this.queries.value(name).total > 0 ? this.value({ form: 'value', name, isLoose: false }) : undefined;
    const what = code(shown(name, first));
    // Defaults are shown only where the lines themselves may be.
    if (!this.cite(first.path, first.startLine, first.startLine)) return undefined;
    const own = first.parameters.filter((one) => !/^(?:self|cls|this)$/.test(one.name));
    const one = own.find((row) => row.name === parameter);
    if (parameter !== undefined && !one) return undefined;
    const list = own.map((row) =>
      code(`${row.name}${row.type ? `: ${row.type}` : ''}${row.value === undefined ? '' : ` = ${row.value}`}`),
    );
    const lead = one
      ? `${code(one.name)} of ${what} ${one.value === undefined ? 'has no default' : `defaults to ${code(one.value)}`}.`
      : own.length === 0
        ? `${what} takes no parameters (${at(first)}).`
        : `${what} takes ${count(own.length, 'parameter')}: ${list.join(', ')}.`;
    return { lead, notes: this.ambiguous(places, total), total, items: places.map(definitionItem) };
  }

  private value({ name, isLoose }: StructureQuestion): AnswerParts | undefined {
    const found = this.queries.value(name);
    const first = found.places[0];
    if (!first || (isLoose && (found.total > LOOSE_MAX || !/^[A-Z0-9_]+$/.test(splitName(name).at(-1) ?? ''))))
      return undefined;
    const shown = found.places.filter(
      (one) => one.text !== '' && this.cite(one.path, one.startLine, one.startLine) !== undefined,
    );
    if (shown.length === 0) return undefined;
    const sources = shown.filter((one) => one.role === 0);
    const values = new Set((sources.length > 0 ? sources : shown).map((one) => one.text));
    const lead =
      values.size === 1
        ? `${code(name)} is ${code([...values][0] ?? '', LINE_MAX)} (${at(shown[0] as Place)}).`
        : `${code(name)} has ${values.size} values in ${count(found.files, 'file')}: ${[...values]
            .slice(0, 5)
            .map((one) => code(one))
            .join(', ')}${values.size > 5 ? ', …' : ''}.`;
    return {
      lead,
      total: found.total,
      items: found.places.map((one) => ({ ...one, label: one.container === '' ? '' : code(one.container) })),
    };
  }

  private thrown(name: string): AnswerParts | undefined {
    const { places } = this.queries.definitions(name);
    const first = places[0];
    if (!first) return undefined;
    const all = this.queries.errorsWithin(places);
    const what = code(shown(name, first));
    const lead =
      all.total === 0
        ? `${what} throws nothing itself (defined in ${at(first)}); what it calls may.`
        : `${what} throws ${count(all.total, 'error')} itself: ${names(all)}.`;
    return {
      lead,
      total: all.total,
      items: all.total === 0 ? [definitionItem(first)] : all.places.map((one) => ({ ...one, label: code(one.text) })),
    };
  }

  private compose({ lead, notes = [], total, items }: AnswerParts): ComposedAnswer {
    const cited = items.flatMap((item) => {
      const citation = this.cite(
        item.path,
        item.startLine,
        Math.max(item.startLine, Math.min(item.endLine, item.startLine + CITED_LINES - 1)),
      );
      return citation ? [{ item, citation }] : [];
    });
    const quotes = new Map(cited.map(({ item, citation }) => [item, citation.quote.split('\n')[0]?.trim() ?? '']));
    const lines = items.slice(0, SHOWN_MAX).map((item) => {
      const quote = quotes.get(item) ?? '';
      const text = [quotes.has(item) ? item.label : '', quote === '' ? '' : code(quote, LINE_MAX)]
        .filter((part) => part !== '')
        .join(' — ');
      return `- \`${item.path}:${item.startLine}\`${text === '' ? '' : ` ${text}`}`;
    });
    const hidden = total - lines.length;
    if (hidden > 0) lines.push(`- and ${hidden} more`);
    return {
      text: [lead, ...notes, lines.join('\n'), NO_MODEL_LINE].filter((part) => part !== '').join('\n\n'),
      citations: cited.map(({ citation }) => citation),
      confidence: 'found',
      total,
    };
  }
}
