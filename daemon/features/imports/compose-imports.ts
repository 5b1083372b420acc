import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import { inState } from '../../private/private-names.js';
import { AgentFiles, KeptTexts } from '../../storage/agent-files.js';
import { FilesWatch } from '../../storage/files-watch.js';
import { JsonFile } from '../../storage/json-file.js';
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

export interface ComposeImportsParts {
  app: App;
  bus: Bus;
  team: Team;
  teamStore: TeamStore;
  /** The project, and the operator's home folder where there is one. */
  root: string;
  home: string | undefined;
  /** The daemon's own folder for state. */
  state: string;
  warn: (message: string) => void;
}

export interface ImportsArea {
  /** Keeps watch over the sources of imported members from now on. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Agents of other tools, in and out: the looks, the imports, what drifted, the exports, and their routes. */
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
    originals: new KeptTexts(state, 'imports'),
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
