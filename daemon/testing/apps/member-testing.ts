import { join } from 'node:path';
import { expect } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import type { MemberTests } from '../../contract/member-tests.js';
import type { MemberDetail } from '../../contract/team.js';
import type { TestApp } from './test-app.js';

/** Tests that a member of the default test project passes with the built-in search. */
export const TESTS = `## On which port does it listen?

- cites: README.md:5-7
- says: 8123
- never says: not found

## Which Kubernetes ingress controller terminates the payments webhook?

- not found
`;
/** The same tests with one more that fails. */
export const FAILING = `${TESTS}
## When do the lights go on?

- says: at high noon
`;
export const BLOCKING = (text: string) => `---\nblocks_exposure: true\n---\n\n${text}`;

interface Refusal {
  error: string;
  message: string;
  path?: string;
  revision?: string | null;
  problem?: unknown;
}
/** Returns the body of a refused call. */
export const refusal = (reply: { body: unknown }) => reply.body as Refusal;

export const getTestFilePath = (app: TestApp, id: string) => join(app.root, `.mesh/asks/${id}.md`);
export const put = async (app: TestApp, id: string, text: string, revision: string | null = null) =>
  app.call('PUT', `/team/${id}/tests`, { text, revision });
export const read = async (app: TestApp, id: string) =>
  (await app.call('GET', `/team/${id}/tests`)).body as MemberTests;
export const member = async (app: TestApp, id: string) => (await app.call('GET', `/team/${id}`)).body as MemberDetail;

/** Resolves with the next event of `type` about `id`. */
export const event = (app: TestApp, type: MeshEvent['type'], id: string) =>
  new Promise<void>((resolve) => {
    const stop = app.daemon.bus.watch((event) => {
      if (event.type !== type || !('id' in event) || event.id !== id) return;
      stop();
      resolve();
    });
  });

/** Runs the tests of a member until they end. */
export async function finish(app: TestApp, id: string, body: object = {}): Promise<MemberTests> {
  const ended = event(app, 'team.tests.ended', id);
  const begun = await app.call('POST', `/team/${id}/tests/run`, body);
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({ id, running: true });
  await ended;
  return read(app, id);
}
