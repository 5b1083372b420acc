import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import type { Clock } from '../../lib/time/clock.js';
import { inState } from '../../private/private-names.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Team } from '../team/team.js';
import { memberTestsRoutes } from './member-tests-routes.js';
import { TestFiles } from './test-files.js';
import type { TestAskPort } from './test-run.js';
import { TestRuns } from './test-runs.js';
import { TestedMembers } from './tested-members.js';

interface ComposeMemberTestsParts {
  app: App;
  team: Team;
  exposure: Exposure;
  asks: TestAskPort;
  bus: Bus;
  clock: Clock;
  /** The project root. */
  root: string;
  /** The daemon's own state folder in it. */
  state: string;
}

/** Composes the contract tests: files, stored runs and routes. Must be started before any member is exposed. */
export async function composeMemberTests({
  app,
  root,
  state,
  ...parts
}: ComposeMemberTestsParts): Promise<TestedMembers> {
  const warn = (message: string) => app.log.warn(message);
  const files = new TestFiles(new MarkdownFolder(root, ['.mesh', 'asks'], warn), warn);
  const runs = new TestRuns(new JsonFile(inState(state, 'member-tests.json'), 0o600), warn);
  const tested = new TestedMembers({ ...parts, files, runs, warn });
  parts.exposure.holdForTests({
    findHold: (member) => tested.findHold(member),
    look: (id, isAsked) => tested.look(id, isAsked),
  });
  await app.register(memberTestsRoutes, { tested });
  return tested;
}
