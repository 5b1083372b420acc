import type { Clients } from '../../features/clients/clients.js';
import type { MemberVersion } from '../../features/team/member-file.js';

const ONLY_SEARCH = 'No model is connected for it: the built-in search answers questions and completes no task.';

/** Why no client that completes tasks is ready for a member, as of the last check of the clients. */
export function findWorkProblem(clients: Pick<Clients, 'resolve'>, member: MemberVersion): string | undefined {
  const { client_resolved, problem } = clients.resolve(member);
  return problem ?? (client_resolved === 'builtin' ? ONLY_SEARCH : undefined);
}
