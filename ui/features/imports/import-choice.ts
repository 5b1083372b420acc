import type { ImportBody, ImportCandidate } from '../../../daemon/contract/imports.js';
import { TOOL_NAMES, TOOLS } from './tool-names.js';

/** The explicit choices per agent: whether to import it, and its id. Everything else follows from its state. */
export interface ImportChoice {
  ticked: Readonly<Record<string, boolean>>;
  ids: Readonly<Record<string, string>>;
}

export const NO_CHOICE: ImportChoice = { ticked: {}, ids: {} };

/** Returns a unique key of a found agent. */
export const createKey = ({ scope, source, entry }: Pick<ImportCandidate, 'scope' | 'source' | 'entry'>) =>
  JSON.stringify([scope, source, entry]);

export const canImport = ({ state }: ImportCandidate) => state === 'new' || state === 'conflict';

/** Reports whether an agent is selected. By default new agents are; one in conflict needs a decision. */
export const isTicked = (one: ImportCandidate, { ticked }: ImportChoice) =>
  canImport(one) && (ticked[createKey(one)] ?? one.state === 'new');

/** Returns the id under which an agent would be imported. */
export const getMemberId = (one: ImportCandidate, { ids }: ImportChoice) =>
  ids[createKey(one)] ?? one.suggested ?? one.id;

const ID = /^[a-z][a-z0-9-]{1,31}$/;

/** Returns the problems of the ids of the selected agents, by key. */
export function idFaults(found: readonly ImportCandidate[], choice: ImportChoice): Map<string, string> {
  const faults = new Map<string, string>();
  const first = new Map<string, string>();
  for (const one of found.filter((each) => isTicked(each, choice))) {
    const id = getMemberId(one, choice);
    const before = first.get(id);
    if (!ID.test(id))
      faults.set(
        createKey(one),
        'A letter first, then letters, digits and hyphens, 2 to 32 characters, all lower case.',
      );
    else if (one.state === 'conflict' && id === one.id)
      faults.set(createKey(one), `“${id}” is in use: choose another id.`);
    else if (before !== undefined) faults.set(createKey(one), `“${id}” is also the id of ${before}.`);
    else first.set(id, one.source);
  }
  return faults;
}

/** Returns the request items: the selected agents with the digest that was shown. */
export const toImportItems = (found: readonly ImportCandidate[], choice: ImportChoice): ImportBody['items'] =>
  found
    .filter((one) => isTicked(one, choice))
    .map((one) => ({
      source: one.source,
      entry: one.entry,
      scope: one.scope,
      sha256: one.sha256,
      id: getMemberId(one, choice),
    }));

/** Counts the agents that can be imported: `3 of Claude Code, 1 of Copilot`; empty when there are none. */
export function formatCount(found: readonly ImportCandidate[]): string {
  const counts = TOOLS.map(
    (tool) => [tool, found.filter((one) => one.format === tool && canImport(one)).length] as const,
  );
  return counts
    .filter(([, count]) => count > 0)
    .map(([tool, count]) => `${count} of ${TOOL_NAMES[tool]}`)
    .join(', ');
}
