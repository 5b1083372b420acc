import type { Page } from '@playwright/test';
import type { SavedClusterDetail } from '../daemon/contract/saved-clusters.js';
import { makeCluster } from './a-peer.js';
import type { Project } from './fixtures.js';

/** Locators of a cluster's page. */
export const wall = (page: Page) => page.getByRole('log', { name: 'Wall' });
export const lines = (page: Page) => wall(page).locator('[data-line]');
export const words = (page: Page) => page.getByRole('textbox', { name: /^Message to/ });
export const here = (page: Page) => page.getByRole('list', { name: 'Others here' });
export const tab = (page: Page, cluster: string, name: string) =>
  page.getByRole('navigation', { name: cluster }).getByRole('link', { name });

export async function sendMessage(page: Page, text: string): Promise<void> {
  await words(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Saves a cluster as an operator does who has joined it before. */
export async function saveCluster(
  project: Project,
  name: string,
  body: Partial<SavedClusterDetail> = {},
): Promise<{ id: string; token: string; admin: string }> {
  const { cluster_id, token, admin_token } = await makeCluster(project, { name, visibility: 'private' });
  await project.api('POST', '/rooms', { cluster_id, token, admin_token, ...body });
  return { id: cluster_id, token, admin: admin_token };
}
