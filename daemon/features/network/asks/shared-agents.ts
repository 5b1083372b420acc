import type { NetworkAgent, NetworkShown } from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import { getDaemonName } from '../network-store.js';

const ID_CHARS = 8;

/** What a daemon of the network shows, if it is known. */
export interface ShowingDaemon {
  id: string;
  name: string;
  isSelf: boolean;
  isPresent: boolean;
  shown: NetworkShown | undefined;
}

function findProblem({ isPresent }: ShowingDaemon, card: NetworkShown['cards'][number]): string | null {
  if (!isPresent) return 'Its daemon is not connected to the network now.';
  return card.price === undefined ? null : 'It has a price, and members with a price are not asked over the network.';
}

/** Lists the members that daemons show, each with the shortest text that names it alone. */
export function listAgents(daemons: readonly ShowingDaemon[]): NetworkAgent[] {
  const all = daemons.flatMap((daemon) => (daemon.shown?.cards ?? []).map((card) => ({ daemon, card })));
  return all.map(({ daemon, card }) => {
    const { project = '' } = daemon.shown ?? {};
    const heads = [project, getDaemonName(daemon), daemon.id.slice(0, ID_CHARS)];
    const isAlone = (head: string) =>
      !head.includes('/') && daemons.filter((other) => answersTo(other, head, card.member)).length === 1;
    return {
      ...card,
      ref: `${heads.find(isAlone) ?? daemon.id}/${card.member}`,
      project,
      daemon: daemon.id,
      daemon_name: getDaemonName(daemon),
      self: daemon.isSelf,
      problem: findProblem(daemon, card),
    };
  });
}

const hasMember = ({ shown }: ShowingDaemon, member: string) => shown?.cards.some((card) => card.member === member);

/** Whether `head` is the project, the name or the start of the id of a daemon that shows the member. */
function answersTo(daemon: ShowingDaemon, head: string, member: string): boolean {
  if (!hasMember(daemon, member)) return false;
  const isId = head.length >= ID_CHARS && daemon.id.startsWith(head);
  return daemon.shown?.project === head || daemon.name === head || isId;
}

/**
 * Finds the member that `<project>/<member>` or `<daemon>/<member>` names. Throws `bad_request` for a text of another
 * form and for one that names several, and `not_found`.
 */
export function findAgent(daemons: readonly ShowingDaemon[], ref: string): NetworkAgent {
  const slash = ref.lastIndexOf('/');
  const [head, member] = [ref.slice(0, slash), ref.slice(slash + 1)];
  const details = { path: 'to' };
  if (slash < 1 || member === '')
    throw new MeshError('bad_request', `"${ref}" is not <project>/<member>, such as lamp/consultant.`, { details });
  const found = daemons.filter((daemon) => !daemon.isSelf && answersTo(daemon, head, member));
  const agents = listAgents(daemons).filter((agent) => agent.member === member);
  const named = agents.filter(({ daemon }) => found.some(({ id }) => id === daemon));
  const [first, second] = named;
  if (!first)
    throw new MeshError(
      'not_found',
      `No daemon of the network shares "${ref}": \`meshd network members\` lists what is shared.`,
      { details },
    );
  if (second) {
    const refs = named.map((agent) => `${agent.daemon.slice(0, ID_CHARS)}/${member}`).join(' or ');
    throw new MeshError('bad_request', `Several daemons share "${ref}": write ${refs}.`, { details });
  }
  return first;
}
