import apiDeveloper from './default-roster/api-developer.md';
import architectMaster from './default-roster/architect-master.md';
import commitPrReviewer from './default-roster/commit-pr-reviewer.md';
import consultant from './default-roster/consultant.md';
import deployer from './default-roster/deployer.md';
import developer from './default-roster/developer.md';
import roadmapOrchestrator from './default-roster/roadmap-orchestrator.md';
import uiDeveloper from './default-roster/ui-developer.md';
import uiReviewer from './default-roster/ui-reviewer.md';

/** The nine members of a new project: id to file text. Spec: Default roster. */
export const DEFAULT_ROSTER: ReadonlyMap<string, string> = new Map([
  ['architect-master', architectMaster],
  ['roadmap-orchestrator', roadmapOrchestrator],
  ['developer', developer],
  ['api-developer', apiDeveloper],
  ['ui-developer', uiDeveloper],
  ['deployer', deployer],
  ['ui-reviewer', uiReviewer],
  ['commit-pr-reviewer', commitPrReviewer],
  ['consultant', consultant],
]);
