import { type DrawContext, formatPlace, groupBy, isAside, sortedPlaces, take, unique } from './draw-context.js';
import type { Definition } from './facts/facts.js';
import type { StructureQuestion } from './question.js';
import { EXTENDS_WORDINGS, type Subject, WORDINGS } from './wordings.js';

const MAX_PLACES = 40;
/** Names of methods that a language calls by itself, or a library by reflection. */
const IMPLICIT = /^(?:__\w+__|visit_\w+|main|init|constructor|toString|test\w*|Test\w*|main_?\w*|setUp|tearDown)$/;
const isAskable = (name: string) => /^[A-Za-z_$][\w$]{3,}$/.test(name) && !IMPLICIT.test(name);
const isOurs = (definitions: readonly Definition[]) =>
  definitions.length > 0 && definitions.every(({ path }) => !isAside(path));

const also = (places: string[], truth: readonly string[]) => {
  const rest = places.filter((place) => !truth.includes(place));
  return rest.length > 0 ? { also: rest } : {};
};

function describeSubject(context: DrawContext, name: string): Subject {
  const [first] = context.strong(name);
  return { name: context.qualified(name), noun: first ? context.nounOf(first) : 'function' };
}

/** Where a name is defined: each kind of definition in turn. */
export function drawDefinitions(context: DrawContext, count: number): StructureQuestion[] {
  const names = [...context.definitions.keys()].filter((name) => isAskable(name) && isOurs(context.strong(name)));
  const groups = [...groupBy(context.shuffle(names), (name) => context.strong(name)[0]?.kind ?? '').values()];
  const ordered = Array.from({ length: count * 4 }, (_, turn) =>
    groups.flatMap((group) => (group[turn] ? [group[turn]] : [])),
  ).flat();
  return take(count, ordered, (name) => {
    const found = context.strong(name);
    if (found.length > 4 || !context.containsName(name, found)) return undefined;
    const truth = sortedPlaces(found);
    const text = context.pick(WORDINGS.definition)(describeSubject(context, name));
    return { kind: 'definition', text, about: name, truth, ...also(sortedPlaces(context.weak(name)), truth) };
  });
}

const SIZES: readonly { from: number; to: number; share: number }[] = [
  { from: 0, to: 0, share: 1 },
  { from: 1, to: 2, share: 3 },
  { from: 3, to: 9, share: 3 },
  { from: 10, to: MAX_PLACES, share: 1 },
];

/** Who calls a function: of names of which every call is known for certain. Where it is declared may be shown. */
export function drawCallers(context: DrawContext): StructureQuestion[] {
  const known = context.facts.callsKnownOf ?? [...context.definitions.keys()];
  const names = context.shuffle(known).filter((name) => isAskable(name) && isCallable(context, name));
  return SIZES.flatMap(({ from, to, share }) =>
    take(share, names, (name) => {
      const here = (context.calls.get(name) ?? []).filter(({ target }) => target === 'here');
      const truth = sortedPlaces(here.filter(({ isWeak }) => !isWeak));
      if (truth.length < from || truth.length > to || !context.containsName(name, here)) return undefined;
      if (to === 0 && (here.length > 0 || isMentioned(context, name))) return undefined;
      const declared = (context.definitions.get(name) ?? []).filter(({ kind }) => /^(?:function|method)$/.test(kind));
      const other = [...here.filter(({ isWeak }) => isWeak), ...declared];
      const text = context.pick(WORDINGS.callers)(describeSubject(context, name));
      return { kind: 'callers', text, about: name, truth, ...also(sortedPlaces(other), truth) };
    }),
  );
}

function isCallable(context: DrawContext, name: string): boolean {
  const found = context.strong(name);
  return (
    isOurs(found) &&
    found.every(({ kind }) => kind === 'function' || kind === 'method') &&
    context.containsName(name, found) &&
    !(context.calls.get(name) ?? []).some(({ target }) => target === 'unknown') &&
    !context.isCalledInForeign(name)
  );
}

/** A comment, or an entry of a list of what a module imports or exports. */
const HARMLESS = /^\s*(?:\*|\/[/*]|#|import\b|export\b|from\b|(?:module\.)?exports\b|["']?[\w$]+["']?,?\s*$)/;

/** Whether code names it without declaring it: a function that is passed on is called by somebody, if not by name. */
function isMentioned(context: DrawContext, name: string): boolean {
  const declared = new Set((context.definitions.get(name) ?? []).map(formatPlace));
  const word = new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`);
  return [...context.texts].some(
    ([path, text]) =>
      text.includes(name) &&
      text
        .split('\n')
        .some((line, index) => word.test(line) && !HARMLESS.test(line) && !declared.has(`${path}:${index + 1}`)),
  );
}

/** The parameters of a function that is defined once. */
export function drawParameters(context: DrawContext, count: number): StructureQuestion[] {
  return take(count, context.shuffle([...context.definitions.keys()]), (name) => {
    const found = context.strong(name);
    const [only] = found;
    const names = unique(only?.params ?? []).filter((one) => one !== '_');
    if (!only || found.length > 1 || !isAskable(name) || !isOurs(found)) return undefined;
    if (names.length === 0 || names.length > 6 || !context.containsName(name, found)) return undefined;
    const truth = sortedPlaces(found);
    const text = context.pick(WORDINGS.parameters)(describeSubject(context, name));
    return { kind: 'parameters', text, about: name, truth, names, ...also(sortedPlaces(context.weak(name)), truth) };
  });
}

/** Traits that Rust derives without a word of code. */
const DERIVED = /^(?:Default|Debug|Clone|Copy|Eq|PartialEq|Ord|PartialOrd|Hash|Send|Sync|From|Into|Drop|object)$/;

/** What extends a class or implements an interface, directly; what does so through others may be named. */
export function drawExtensions(context: DrawContext, count: number): StructureQuestion[] {
  const byBase = groupBy(context.facts.extensions, ({ base }) => base);
  return take(count, context.shuffle([...byBase.keys()]), (base) => {
    const direct = byBase.get(base) ?? [];
    const strong = direct.filter(({ isWeak }) => !isWeak);
    const found = context.strong(base);
    const [own] = found;
    if (!/^[A-Za-z_$][\w$]{3,}$/.test(base) || DERIVED.test(base) || found.length > 1) return undefined;
    if (own ? isAside(own.path) : strong.length < 2) return undefined;
    const truth = sortedPlaces(strong);
    if (truth.length === 0 || truth.length > MAX_PLACES || !strong.some(({ path }) => !isAside(path))) return undefined;
    const inner = unique(direct.map(({ name }) => name)).flatMap((name) => listBelow(byBase, name, new Set([base])));
    const isInterface = own ? own.kind === 'interface' || own.kind === 'type' : context.base.language === 'Rust';
    const wordings = EXTENDS_WORDINGS[isInterface ? 'interface' : 'class'];
    const text = context.pick(wordings)({ name: base, noun: own ? context.nounOf(own) : 'trait' });
    const other = sortedPlaces([...direct, ...inner, ...(context.definitions.get(base) ?? [])]);
    return { kind: 'extends', text, about: base, truth, ...also(other, truth) };
  });
}

function listBelow<T extends { name: string }>(byBase: ReadonlyMap<string, T[]>, base: string, seen: Set<string>): T[] {
  if (seen.has(base)) return [];
  seen.add(base);
  const direct = byBase.get(base) ?? [];
  return [...direct, ...direct.flatMap(({ name }) => listBelow(byBase, name, seen))];
}
