import { type DrawContext, groupBy, isAside, sortedPlaces, take, unique } from './draw-context.js';
import type { Import } from './facts/facts.js';
import type { StructureQuestion } from './question.js';
import { VARIABLE_WORDINGS, WORDINGS } from './wordings.js';

const MAX_FILES = 150;
const MAX_IMPORTERS = 60;
/** Languages in which a file reaches others without naming them: what a change affects cannot be read from imports. */
const IMPLICIT = /^(?:Go|Java|Rust)$/;

const subject = (context: DrawContext, path: string) => ({
  name: context.writtenPath(path),
  noun: 'file',
  isIncluded: /^C/.test(context.base.language),
});

/**
 * Files that import a file, in Go a package. One question in four is about a file that nothing imports, if there are.
 */
export function drawImporters(context: DrawContext, count: number): StructureQuestion[] {
  const byTarget = groupBy(context.facts.imports, ({ to }) => to);
  const isGo = context.base.language === 'Go';
  const all = isGo ? [...byTarget.keys()].filter((to) => to !== '.').sort() : [...context.texts.keys()];
  const ours = context.shuffle(all.filter((path) => !isAside(isGo ? `${path}/` : path)));
  const draw = (isNone: boolean) => (path: string) => {
    const edges = byTarget.get(path) ?? [];
    const truth = unique(edges.filter(({ isWeak }) => !isWeak).map(({ from }) => from)).sort();
    const weak = unique(edges.map(({ from }) => from)).filter((from) => !truth.includes(from));
    if (truth.length > MAX_IMPORTERS || (truth.length === 0) !== isNone) return undefined;
    if (isNone && (weak.length > 0 || !/\.(?:[cm]?[jt]s|py)$/.test(path))) return undefined;
    const about = subject(context, path);
    const text = context.pick(WORDINGS.importers)(isGo ? { ...about, name: `the package ${path}` } : about);
    const also = isGo ? [] : [path, ...weak.sort()];
    return { kind: 'importers', text, about: path, truth, ...(also.length > 0 ? { also } : {}) } as const;
  };
  if (byTarget.size === 0) return [];
  return [...take(Math.floor(count / 4), ours, draw(true)), ...take(count - 1, ours, draw(false))].slice(0, count);
}

function closure(edges: readonly Import[], path: string): Set<string> {
  const byTarget = groupBy(edges, ({ to }) => to);
  const reached = new Set<string>();
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const { from } of byTarget.get(next) ?? [])
      if (!reached.has(from) && from !== path) {
        reached.add(from);
        waiting.push(from);
      }
  return reached;
}

/** Files that import a file through any number of others. */
export function drawAffected(context: DrawContext, count: number): StructureQuestion[] {
  if (IMPLICIT.test(context.base.language)) return [];
  const strong = context.facts.imports.filter(({ isWeak }) => !isWeak);
  const ours = context.shuffle(
    unique(strong.map(({ to }) => to))
      .filter((path) => context.texts.has(path))
      .sort(),
  );
  return take(
    count,
    ours.filter((path) => !isAside(path)),
    (path) => {
      const truth = [...closure(strong, path)].sort();
      const direct = strong.filter(({ to, from }) => to === path && from !== path).length;
      const weak = [...closure(context.facts.imports, path)].filter((one) => !truth.includes(one)).sort();
      if (truth.length < 2 || truth.length > MAX_FILES || truth.length === direct) return undefined;
      if (weak.length > Math.max(3, truth.length * 0.3)) return undefined;
      const text = context.pick(WORDINGS.affected)(subject(context, path));
      return { kind: 'affected', text, about: path, truth, also: [path, ...weak] };
    },
  );
}

const MENTION = /\bgetenv\b|\benviron\b|process\.env\b|\bGetenv\b|\bLookupEnv\b|\benv::var/;

/** The environment variables that are read: all of them, in two wordings, and where some are read. */
export function drawEnvironment(context: DrawContext, count: number): StructureQuestion[] {
  const reads = context.facts.env;
  const isOurs = ({ path, isWeak }: { path: string; isWeak?: boolean }) => !isWeak && !isAside(path);
  const ours = reads.filter(isOurs);
  const isSilent = ![...context.texts].some(([path, text]) => !isAside(path) && MENTION.test(text));
  if (ours.length === 0 && !isSilent) return [];
  const truth = sortedPlaces(ours);
  const also = sortedPlaces(reads).filter((place) => !truth.includes(place));
  const names = unique(ours.map(({ name }) => name)).sort();
  const whole = context
    .shuffle(WORDINGS.environment)
    .slice(0, names.length > 0 ? 2 : 1)
    .map((word) => ({
      kind: 'environment' as const,
      text: word({ name: '', noun: '' }),
      about: '',
      truth,
      ...(names.length > 0 ? { names } : {}),
      ...(also.length > 0 ? { also } : {}),
    }));
  const single = take(count, context.shuffle(names), (name) => ({
    kind: 'environment',
    text: context.pick(VARIABLE_WORDINGS)({ name, noun: '' }),
    about: name,
    truth: sortedPlaces(ours.filter((one) => one.name === name)),
    also: sortedPlaces(reads.filter((one) => one.name === name && !isOurs(one))),
  }));
  return [...whole, ...single];
}
