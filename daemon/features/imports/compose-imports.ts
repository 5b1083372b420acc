import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import { inState } from '../../private/private-names.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { AgentFiles, StoredTexts } from '../../storage/members/agent-files.js';
import { FilesWatch } from '../../storage/members/files-watch.js';
import type { Team } from '../team/team.js';
import type { TeamStore } from '../team/team-store.js';
import { AgentSources } from './agent-sources.js';
import { ImportDrift } from './drift.js';
import { DriftWatch } from './drift-watch.js';
import { Exports } from './exports.js';
import { ImportRecords } from './import-records.js';
import { Imports } from './imports.js';
import { importsRoutes } from './imports-routes.js';
import { MemberFiles } from './member-files.js';

interface ComposeImportsParts {
  app: App;
  bus: Bus;
  team: Team;
  teamStore: TeamStore;
  /** The project root. `home` is the operator's home folder, if any. */
  root: string;
  home: string | undefined;
  /** The daemon's own state folder. */
  state: string;
  warn: (message: string) => void;
}

export interface ImportsArea {
  /** Starts watching the sources of imported members. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes imports, drift detection and exports of other tools' agents, and registers their routes. */
export async function composeImports({
  app,
  bus,
  team,
  teamStore,
  root,
  home,
  state,
  warn,
}: ComposeImportsParts): Promise<ImportsArea> {
  const project = new AgentFiles(root);
  const parts = {
    team,
    members: new MemberFiles(team, teamStore),
    sources: new AgentSources(project, home ? new AgentFiles(home) : undefined),
    project,
    originals: new StoredTexts(state, 'imports'),
    records: new ImportRecords(new JsonFile(inState(state, 'imports.json'), 0o600)),
  };
  const imports = new Imports(parts);
  const drift = new ImportDrift(parts, imports);
  await app.register(importsRoutes, { imports, drift, exports: new Exports(parts) });
  const watch = new DriftWatch({
    team,
    members: parts.members,
    drift,
    bus,
    watchFiles: (scope, onChange) => {
      const folder = scope === 'user' ? home : root;
      return folder ? new FilesWatch(folder, onChange, warn) : undefined;
    },
    warn,
  });
  return { start: () => watch.start(), stop: () => watch.close() };
}
