import type { Intent } from '../newcomers/intent.js';
import { findCommands } from './commands.js';
import { findEntryPoints } from './entry-points.js';
import { findLanguageVersions } from './language-versions.js';
import { findLicence } from './licence.js';
import type { ProjectFact, ProjectTree } from './project-fact.js';

/**
 * Returns what the project's own files say to a newcomer's question: its commands, licence, language versions and entry
 * points. Empty when the question is about anything else, or no file says it.
 */
export function findFacts(intent: Intent | undefined, tree: ProjectTree, names: readonly string[]): ProjectFact[] {
  switch (intent?.kind) {
    case 'licence':
      return findLicence(tree);
    case 'versions':
      return findLanguageVersions(tree);
    case 'entry':
      return findEntryPoints(tree, names, intent.isLibrary);
    case 'task':
      return findCommands(tree, intent.task, intent.isFromSource);
    default:
      return [];
  }
}
