import { LocalLedger } from '../features/chains/local/local-ledger.js';
import { ConversationsStore } from '../features/conversations/conversations-store.js';
import { Agreements } from '../features/exposure/agreements.js';
import { Exposure } from '../features/exposure/exposure.js';
import { exposureRoutes } from '../features/exposure/exposure-routes.js';
import { FormerTokens } from '../features/exposure/former-tokens.js';
import { TokenStore } from '../features/exposure/token-store.js';
import { MembersHistory } from '../features/team/member-history.js';
import { memberHistoryRoutes } from '../features/team/member-history-routes.js';
import { Team } from '../features/team/team.js';
import { teamRoutes } from '../features/team/team-routes.js';
import { TeamStore } from '../features/team/team-store.js';
import { inCredentials, inState } from '../private/private-names.js';
import { SecretFile } from '../storage/files/secret-file.js';
import { committedText } from '../storage/files/secrets-audit.js';
import { GitFileHistory } from '../storage/git/git-file-history.js';
import { MarkdownFolder } from '../storage/members/markdown-folder.js';
import { RemovedMembers } from '../storage/members/removed-members.js';
import type { ClientsArea, RunsOn } from './compose-clients.js';
import { listConfiguredNetworks } from './configured-networks.js';
import type { Core } from './core.js';

export interface TeamArea {
  team: Team;
  teamStore: TeamStore;
  exposure: Exposure;
  /** The client and model of an exposed member at present; undefined for any other member. */
  findExposed(id: string): RunsOn | undefined;
  /** The same for any member that can run, exposed or not. */
  findRunnable(id: string): RunsOn | undefined;
}

/** How long a removed member is offered to be restored, in milliseconds. */
const REMOVED_SHOWN_MS = 30 * 24 * 3_600_000;

/** Composes the roster, the exposure of its members, and the history of their files. */
export async function composeTeam(
  core: Core,
  { resolveClient }: Pick<ClientsArea, 'resolveClient'>,
): Promise<TeamArea> {
  const { app, bus, clock, config, database, folder, standardVersion, trackedSecrets, warn, wrong } = core;
  const conversations = new ConversationsStore(database);
  const removed = new RemovedMembers(folder.state);
  const ledger = new LocalLedger(database);
  const teamStore = new TeamStore(new MarkdownFolder(config.root, ['.mesh', 'team'], warn), () =>
    ledger.findNetworkName(),
  );
  const team = new Team(teamStore, bus, {
    clock,
    standardVersion: () => standardVersion,
    committedText: (path) => committedText(folder, path, config.environment),
    removed: {
      keep: (id, text) => removed.keep(id, text, clock.now()),
      list: () => removed.list(clock.now() - REMOVED_SHOWN_MS),
      read: (id) => removed.read(id),
    },
    warn,
    resolveClient,
    networks: listConfiguredNetworks(config),
    instances: (id) => conversations.countLive(id),
  });
  const tokens = new TokenStore(new SecretFile(inCredentials(folder.credentials, 'team-tokens.json')));
  const agreements = new Agreements(new SecretFile(inState(folder.state, 'exposure.json')));
  const exposure = new Exposure(team, tokens, agreements, bus, clock, {
    standardVersion: () => standardVersion,
    trackedSecrets: () => trackedSecrets.paths(),
    formerTokens: new FormerTokens(new SecretFile(inState(folder.state, 'former-tokens.json'))),
    warn,
  });
  wrong.explainWith((token) => exposure.explainFormer(token));
  const history = new MembersHistory(team, teamStore, new GitFileHistory(config.root, config.environment));
  await app.register(teamRoutes, { team });
  await app.register(memberHistoryRoutes, { history });
  await app.register(exposureRoutes, { exposure });
  return {
    team,
    teamStore,
    exposure,
    findExposed(id) {
      const member = exposure.external(id);
      return member && resolveClient(member);
    },
    findRunnable(id) {
      const member = team.serving(id);
      return member && resolveClient(member);
    },
  };
}
