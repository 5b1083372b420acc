import { VIS, type Vis } from '../../contract/wall.js';
import { parseClusterCredential } from '../../http/callers/cluster-credential.js';
import type { AnyReply, App } from '../../http/route-types.js';
import { checkedHandle } from '../../lib/agents/handle.js';
import { MeshError } from '../../lib/errors.js';
import type { ClusterAccess, Entered } from '../clusters/cluster-access.js';
import type { Member } from '../clusters/connection.js';
import type { Wall } from './wall.js';

const DID_KEY = /^did:key:[A-Za-z0-9]{1,1024}$/;

interface Joining {
  entered: Entered;
  who: Omit<Member, 'isOwner'>;
  response: AnyReply['raw'];
}

/**
 * The WebSocket of a cluster. The caller's right to join and its identity are checked before the upgrade:
 * `unauthorized` for both a wrong token and an unknown cluster, then `bad_request` for an invalid handle, `did`, `vis`
 * or `mask`. `mask=1` with `vis=ghost` gives the view of external surfaces: private members are masked, and nothing can
 * be sent. Spec: Endpoints; Authentication; Member visibility.
 */
export async function wallSocket(
  app: App,
  { wall, clusterAccess }: { wall: Wall; clusterAccess: ClusterAccess },
): Promise<void> {
  const joining = new WeakMap<object, Joining>();

  app.get(
    '/v1/clusters/:id/ws',
    {
      websocket: true,
      config: { access: 'public', socket: true },
      schema: {
        summary: 'The socket of a cluster: its Wall and the changes of its boards',
        description:
          'A frame that is sent has at most 64 KiB; send larger content in pieces. Above 1 MiB a second the daemon ' +
          'reads later, above 200 frames a second it disconnects (1008). A frame that is received can be larger than ' +
          'the sent one, since a text comes as JSON (up to 400 KiB), and so can the roster in `ready`.',
        tags: ['clusters'],
      },
      onRequest: async (request, reply) => {
        const { id } = request.params as { id: string };
        const entered = clusterAccess.requireJoiner(id, parseClusterCredential(request));
        joining.set(request.raw, {
          entered,
          who: getMember(request.query as Record<string, unknown>),
          response: reply.raw,
        });
        // Corks the connection, so that the upgrade response and the first frame are sent together. A later failure of
        // the upgrade ends the connection and thereby the cork.
        if (request.ws) request.raw.socket.cork();
      },
    },
    (socket, request) => {
      const { entered, who, response } = joining.get(request.raw) as Joining;
      // Otherwise the connection keeps the request and response in memory as long as it is open.
      response.detachSocket(request.raw.socket);
      try {
        wall.open(entered, who, socket, request.raw.socket);
      } finally {
        request.raw.socket.uncork();
      }
    },
  );
}

/** The identity that a member states in its query. Throws `bad_request`. */
function getMember({ agent, did, vis, mask }: Record<string, unknown>): Omit<Member, 'isOwner'> {
  const handle = checkedHandle(agent);
  if (did !== undefined && (typeof did !== 'string' || !DID_KEY.test(did))) {
    throw new MeshError('bad_request', '"did" must be a did:key.', { details: { path: 'did' } });
  }
  if (vis !== undefined && !VIS.includes(vis as Vis)) {
    throw new MeshError('bad_request', `"vis" must be one of ${VIS.join(', ')}.`, { details: { path: 'vis' } });
  }
  if (mask !== undefined && (mask !== '1' || vis !== 'ghost')) {
    throw new MeshError('bad_request', '"mask" must be 1 and needs vis=ghost.', {
      details: { path: 'mask' },
    });
  }
  return {
    handle,
    did: did ?? null,
    vis: (vis as Vis | undefined) ?? 'public',
    ...(mask === '1' && { isOnlooker: true }),
  };
}
