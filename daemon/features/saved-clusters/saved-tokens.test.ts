import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ClusterAccess } from '../clusters/cluster-access.js';
import { ClustersStore } from '../clusters/clusters-store.js';
import { checkTokens, type SavedTokens } from './saved-tokens.js';

type Given = Parameters<typeof checkTokens>[2];

const NONE = { token: null, admin_token: null };
const MEMBER = { token: 'ck_private', admin_token: null };
const ADMIN = { token: null, admin_token: 'ak_private' };
const BOTH = { token: 'ck_private', admin_token: 'ak_private' };

function aJudge() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const clusters = new ClustersStore(database);
  for (const visibility of ['public', 'private'] as const)
    clusters.insert(
      {
        ...{ id: visibility, slug: null, name: 'Quay', topic: '', description: '', visibility, boards_enabled: false },
        ...{ props: null, createdMs: 0 },
      },
      { token: sha256(`ck_${visibility}`), admin: sha256(`ak_${visibility}`) },
    );
  const clusterAccess = new ClusterAccess(clusters, new WrongCredentials(new FakeClock()));
  return (id: string, given: Given, before?: SavedTokens) =>
    checkTokens({ clusters, clusterAccess }, id, given, before);
}

describe('Tokens to save', () => {
  it.each<[string, Given, SavedTokens | undefined, SavedTokens]>([
    ['public', {}, undefined, NONE],
    ['public', { token: 'ck_public' }, undefined, { token: 'ck_public', admin_token: null }],
    ['public', { token: null, admin_token: null }, { token: 'ck_public', admin_token: 'ak_public' }, NONE],
    ['private', { token: 'ck_private' }, undefined, MEMBER],
    ['private', { token: 'ak_private' }, undefined, ADMIN],
    ['private', { admin_token: 'ak_private' }, undefined, ADMIN],
    ['private', { token: 'ck_private', admin_token: 'ak_private' }, undefined, BOTH],
    ['private', {}, MEMBER, MEMBER],
    ['private', {}, ADMIN, ADMIN],
    ['private', { admin_token: 'ak_private' }, MEMBER, BOTH],
    ['private', { token: null }, BOTH, ADMIN],
    ['private', { admin_token: null }, BOTH, MEMBER],
    ['private', { token: null, admin_token: 'ak_private' }, MEMBER, ADMIN],
  ])('of a %s cluster: %j given beside %j are %j', (id, given, before, tokens) => {
    expect(aJudge()(id, given, before)).toEqual(tokens);
  });

  const HIDDEN = 'There is no such cluster, or it is private: send its token as x-cluster-token if you have one.';
  const WRONG = 'This is not a token of that cluster. It is public: leave the token out, or send the right one.';
  const NO_ADMIN = '"admin_token" must be the admin token (ak_), which only its creator has.';
  const LAST = 'A private cluster needs one of its tokens: leave the cluster instead.';

  it.each<[string, Given, SavedTokens | undefined, object]>([
    ['unknown', {}, undefined, { code: 'not_found', message: HIDDEN }],
    ['unknown', { token: 'ck_private' }, undefined, { code: 'not_found', message: HIDDEN }],
    ['private', {}, undefined, { code: 'not_found', message: HIDDEN }],
    ['private', { token: null }, undefined, { code: 'not_found', message: HIDDEN }],
    ['private', { token: 'ck_public' }, undefined, { code: 'not_found', message: HIDDEN }],
    ['private', { token: 'ck_public' }, BOTH, { code: 'not_found', message: HIDDEN }],
    ['public', { token: 'ck_private' }, undefined, { code: 'unauthorized', message: WRONG }],
    ['public', { admin_token: '' }, NONE, { code: 'unauthorized', message: WRONG }],
    ['public', { admin_token: 'ck_public' }, NONE, { message: NO_ADMIN, details: { path: 'admin_token' } }],
    ['private', { admin_token: 'ck_private' }, BOTH, { code: 'bad_request', message: NO_ADMIN }],
    ['private', { token: null }, MEMBER, { code: 'bad_request', message: LAST, details: { path: 'token' } }],
    ['private', { admin_token: null }, ADMIN, { code: 'bad_request', message: LAST, details: { path: 'token' } }],
    ['unknown', {}, NONE, { code: 'bad_request', message: LAST }],
  ])('of a %s cluster are refused: %j given beside %j', (id, given, before, error) => {
    expect(() => aJudge()(id, given, before)).toThrow(expect.objectContaining(error));
  });

  it.each(['public', 'private'])('of a %s cluster cannot be guessed', (id) => {
    const judge = aJudge();
    for (let n = 0; n < 20; n += 1)
      expect(() => judge(id, { token: `ck_${n}` })).not.toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    expect(() => judge(id, { token: 'ck_x' })).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    expect(judge(id, { token: `ck_${id}` })).toEqual({ token: `ck_${id}`, admin_token: null });
  });
});
