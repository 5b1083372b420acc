import { join } from 'node:path';
import { AgentSources } from '../../features/imports/agent-sources.js';
import { ImportDrift } from '../../features/imports/drift.js';
import { Exports } from '../../features/imports/exports.js';
import { ImportRecords } from '../../features/imports/import-records.js';
import { Imports } from '../../features/imports/imports.js';
import { MemberFiles } from '../../features/imports/member-files.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { AgentFiles, StoredTexts } from '../../storage/members/agent-files.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { aTeam } from '../apps/a-team.js';
import { putFiles, temporaryFolder } from '../temporary-folder.js';

/** Creates imports with the given roster, by default an empty one, and a home folder with `files`. */
export async function imports(files: Record<string, string>, isHomeless = false, members: Record<string, string> = {}) {
  const { team, root } = await aTeam({ files: members });
  const home = temporaryFolder(files);
  putFiles(root, { '.mesh/state/x': '' });
  const roster = new MarkdownFolder(root, ['.mesh', 'team'], () => undefined);
  const project = new AgentFiles(root);
  const parts = {
    team,
    members: new MemberFiles(team, { read: (id) => roster.read(`${id}.md`) }),
    sources: new AgentSources(project, isHomeless ? undefined : new AgentFiles(home)),
    project,
    originals: new StoredTexts(join(root, '.mesh/state'), 'imports'),
    records: new ImportRecords(new JsonFile(join(root, '.mesh/state/imports.json'), 0o600)),
  };
  const feature = new Imports(parts);
  return { root, home, parts, feature, drift: new ImportDrift(parts, feature), exports: new Exports(parts) };
}
