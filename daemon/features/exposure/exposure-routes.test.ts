import { expect, it } from 'vitest';
import type { MemberDetail, TokenRotated } from '../../contract/team.js';
import { testApp } from '../../testing/apps/test-app.js';
import { OPEN } from '../../testing/apps/test-exposure.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

it('the operator approves, keeps internal and gives a new token over HTTP', async () => {
  const app = await testApp({ root: temporaryFolder({ '.mesh/team/guide.md': OPEN }) });
  const post = (path: string) => app.call('POST', `/team/${path}`);
  const kept = await post('guide/keep-internal');
  expect(kept).toMatchObject({ status: 200, body: { id: 'guide', exposure_hold: 'kept_internal' } });
  const exposed = await post('guide/expose');
  expect(exposed.status).toBe(200);
  expect(exposed.body).not.toHaveProperty('exposure_hold');
  const { token } = exposed.body as MemberDetail;
  expect(token).toMatch(/^mk_/);
  expect(await post('guide/keep-internal')).toMatchObject({ status: 409, body: { error: 'not_waiting' } });
  const rotated = (await post('guide/token/rotate')).body as TokenRotated;
  expect(rotated.id).toBe('guide');
  expect(rotated.token).not.toBe(token);
  expect(await app.getToken('guide')).toBe(rotated.token);
});

it('the description of the API tells what each of these requests does', async () => {
  const app = await testApp();
  interface Operation {
    summary?: string;
    description?: string;
    tags?: string[];
    parameters?: { name: string }[];
    responses?: object;
  }
  const { paths } = (await app.call('GET', '/openapi.json')).body as { paths: Record<string, { post?: Operation }> };
  const of = (path: string) => paths[`/team/{id}/${path}`]?.post;
  for (const path of ['expose', 'keep-internal', 'token/rotate']) expect(of(path)?.tags).toEqual(['team']);
  for (const [path, schema] of [
    ['expose', 'MemberDetail'],
    ['keep-internal', 'MemberDetail'],
    ['token/rotate', 'TokenRotated'],
  ] as const) {
    expect(of(path)?.parameters?.map(({ name }) => name)).toEqual(['id']);
    expect(JSON.stringify(of(path)?.responses)).toContain(`"#/components/schemas/${schema}"`);
  }
  expect(of('expose')?.summary).toMatch(/approval/);
  expect(of('expose')?.description).toMatch(/`tests_failed`/);
  expect(of('keep-internal')?.summary).toMatch(/internal/);
  expect(of('keep-internal')?.description).toMatch(/`not_waiting`/);
  expect(of('token/rotate')?.summary).toMatch(/the old one stops working at once/);
});
