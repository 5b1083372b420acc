import type { Page } from '@playwright/test';
import type { Project } from './fixtures.js';

export const FILE = '.mesh/team/deployer.md';

export const members = (page: Page) => page.getByRole('list', { name: 'Members' });

/** Returns the text of a member file with another description. */
export const described = (text: string, words: string) => text.replace(/^description: .*$/m, `description: ${words}`);

/** Changes the description in the deployer's file. */
export const describeDeployer = (project: Project, words: string) =>
  project.write(FILE, described(project.read(FILE), words));

/** Commits the roster, and another one on the branch `winter`. */
export function commitWinterRoster(project: Project): void {
  project.git('add', '-A', '.mesh');
  project.git('commit', '-q', '-m', 'Keep the roster');
  project.git('checkout', '-q', '-b', 'winter');
  describeDeployer(project, 'Lays the boats up for the winter.');
  project.write('.mesh/team/ice-watch.md', '---\nname: Ice Watch\n---\nWatches the ice.\n');
  project.git('rm', '-q', '-f', '.mesh/team/ui-reviewer.md');
  project.git('add', '-A', '.mesh');
  project.git('commit', '-q', '-m', 'Winter');
  project.git('checkout', '-q', 'main');
}
