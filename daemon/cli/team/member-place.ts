import type { Variables } from '../../lib/user-folders.js';
import { listRunningProjects } from '../daemon/running-projects.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable } from '../terminal.js';

interface MemberPlace {
  /** Absolute path of the member's project. */
  root: string;
  id: string;
}

/**
 * Returns the project and the member that `<member>` or `<project>/<member>` names; the project is one of this user's
 * that runs. Throws `not_found`, and `ambiguous` when several projects have that name.
 */
export async function findMemberPlace(ref: string, root: string, variables: Variables): Promise<MemberPlace> {
  const slash = ref.lastIndexOf('/');
  if (slash === -1) return { root, id: ref };
  const project = await findProjectRoot(ref.slice(0, slash), root, variables);
  return { root: project, id: ref.slice(slash + 1) };
}

/**
 * Returns the root of this user's running project of that name. Throws `not_found`, and `ambiguous` when several
 * projects have the name.
 */
export async function findProjectRoot(name: string, root: string, variables: Variables): Promise<string> {
  const running = await listRunningProjects(variables, root);
  const found = running.filter((project) => project.name === name);
  const [first, second] = found;
  if (!first) {
    const names = running.map((project) => printable(project.name)).join(', ');
    throw new CommandError(
      EXIT.notFound,
      `No running project is called ${printable(name)}${names === '' ? '' : `; there are ${names}`}: start it ` +
        'with `meshd up` in its folder.',
      'not_found',
    );
  }
  if (second) {
    const roots = found.map((project) => printable(project.root)).join(', ');
    throw new CommandError(
      EXIT.conflict,
      `Several projects are called ${printable(name)}: choose one with --root (${roots}).`,
      'ambiguous',
    );
  }
  return first.root;
}
