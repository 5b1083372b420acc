import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { operatorProof } from '../../lib/crypto/daemon-proof.js';
import { Neighbours } from './neighbours.js';
import type { ProvenProject } from './running-projects.js';

const project = (name: string, port: number, current = false): ProvenProject['project'] => ({
  ...{ name, root: `/work/${name}`, address: `http://127.0.0.1:${port}`, pid: 1, version: '1' },
  ...{ started_at: '2026-01-01T00:00:00.000Z', current },
});
const [HERE, LAMP, BUOY] = [project('here', 1_001, true), project('lamp', 1_002), project('buoy', 1_003)];
const proven = (one: ProvenProject['project']): ProvenProject => ({ project: one, secret: `secret of ${one.name}` });

/** The neighbours of `here`, which are `others`. */
const neighboursOf = (...others: ProvenProject['project'][]) =>
  new Neighbours({
    list: async () => ({ projects: [HERE, ...others], count: others.length + 1 }),
    listOthers: async () => others.map(proven),
  });

describe('a member of another project', () => {
  it('is found by the name of its project, whether or not it is there', async () => {
    const neighbours = neighboursOf(LAMP, BUOY);
    expect(await neighbours.find('buoy/ada')).toEqual({ ref: 'buoy/ada', member: 'ada', project: BUOY });
    expect(await neighbours.find('lamp/form-tester-2')).toMatchObject({ member: 'form-tester-2', project: LAMP });
    expect(await neighbours.find('here/ada')).toMatchObject({ project: HERE });
  });

  it.each(['ada', '/ada', 'lamp/', 'lamp/Ada', 'lamp/-ada', 'lamp/a/b', 'a/lamp/b', 'lamp/ada.', 'lamp/ada\n', ''])(
    'is not named by %j',
    async (ref) => {
      expect(await neighboursOf(LAMP).find(ref)).toBeUndefined();
    },
  );

  it('may have one letter, and its project any name without a slash', async () => {
    const odd = project('The  Lämp!', 1_004);
    expect(await neighboursOf(odd).find('The  Lämp!/a')).toMatchObject({ member: 'a', project: odd });
  });

  it('is refused when no running project has that name, with the names that there are', async () => {
    await expect(neighboursOf(LAMP, BUOY).find('ship/ada')).rejects.toMatchObject({
      code: 'not_found',
      message: 'No running project is called ship; there are here, lamp, buoy: start it with `meshd up` in its folder.',
    });
  });

  it('is refused when several have it, with the address that is one', async () => {
    const twin = project('lamp', 1_005);
    await expect(neighboursOf(LAMP, BUOY, twin).find('lamp/ada')).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'Several running projects are called lamp: give the address of the member, such as http://127.0.0.1:1002/team/ada.',
    });
  });
});

it('a project is found by the origin at which it listens, and all are listed', async () => {
  const neighbours = neighboursOf(LAMP, BUOY);
  expect(await neighbours.at(BUOY.address)).toEqual(proven(BUOY));
  expect(await neighbours.at(HERE.address)).toBeUndefined();
  expect(await neighbours.all()).toEqual([proven(LAMP), proven(BUOY)]);
});

describe('what an operator reads of a neighbour', () => {
  /** A neighbour that answers with `documents` by path, and the requests that it received. */
  async function aNeighbour(documents: Record<string, unknown>) {
    const asked: unknown[] = [];
    const server = createServer(({ method, url = '', headers }, response) => {
      asked.push([method, url, headers['x-meshd-operator']]);
      response.end(JSON.stringify(documents[url] ?? null));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { neighbour: proven(project('lamp', (server.address() as AddressInfo).port)), asked };
  }
  const neighbours = neighboursOf();

  it('is the token of a member, with the proof of the operator and without the secret', async () => {
    const { neighbour, asked } = await aNeighbour({ '/team/ada': { token: 'mk_1' }, '/team/a%2Fb': { token: 'mk_2' } });
    expect(await neighbours.token(neighbour, 'ada')).toBe('mk_1');
    expect(await neighbours.token(neighbour, 'a/b')).toBe('mk_2');
    expect(asked[0]).toEqual(['GET', '/team/ada', operatorProof('secret of lamp')]);
  });

  it('is no token of a member that is not exposed, or is not there', async () => {
    const { neighbour } = await aNeighbour({ '/team/ada': { id: 'ada' } });
    expect(await neighbours.token(neighbour, 'ada')).toBeUndefined();
    expect(await neighbours.token(neighbour, 'bea')).toBeUndefined();
    expect(await neighbours.token(proven(project('gone', 1)), 'ada')).toBeUndefined();
  });

  it.each<[string, object | undefined, string | undefined]>([
    ['its directory first', { v1: { agent_id: 'one' }, hub: { agent_id: 'two' } }, 'one'],
    ['its hub else', { v1: { agent_id: null }, hub: { agent_id: 'two' } }, 'two'],
    ['none without either', { v1: { agent_id: null }, hub: { agent_id: null } }, undefined],
    ['none of another member', undefined, undefined],
  ])('is the id of a member in %s', async (_title, surfaces, id) => {
    const other = { member: 'bea', surfaces: { v1: { agent_id: 'other' }, hub: { agent_id: 'other' } } };
    const registrations = [other, ...(surfaces ? [{ member: 'ada', surfaces }] : [])];
    const { neighbour, asked } = await aNeighbour({ '/registrations': { registrations } });
    expect(await neighbours.agentId(neighbour, 'ada')).toBe(id);
    expect(asked).toEqual([['GET', '/registrations', operatorProof('secret of lamp')]]);
  });

  it('is no id when it gives no answer', async () => {
    const { neighbour } = await aNeighbour({});
    expect(await neighbours.agentId(neighbour, 'ada')).toBeUndefined();
  });
});
