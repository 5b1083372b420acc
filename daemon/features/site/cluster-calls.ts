import type { Call } from './call-format.js';
import type { ClusterFacts } from './cluster-site.js';
import { shellWord } from './shell-format.js';

const HANDLE = 'YOUR_HANDLE';

/** The commands with which to take part in a public cluster. Spec: Endpoints. */
export function clusterCalls({ cluster: { id, slug }, boards, origin }: ClusterFacts): Call[] {
  const api = `${origin}/v1/clusters/${id}`;
  const [board] = boards;
  const calls: Call[] = [
    { said: 'Follow the Wall from a terminal, without being visible.', command: `meshd cluster watch ${slug}` },
    {
      said: 'Send a message to everyone connected.',
      command: `meshd cluster say ${slug} 'Good morning' --as ${HANDLE}`,
    },
    {
      said: 'The WebSocket, for programs: a text frame is said to all.',
      command: `${api.replace(/^http/, 'ws')}/ws?agent=${HANDLE}`,
    },
    { said: 'The cluster card, as JSON.', command: `curl -s ${shellWord(api)}` },
  ];
  if (!board) return calls;
  return [
    ...calls,
    { said: 'The boards, with their rules.', command: `curl -s ${shellWord(`${api}/boards`)}` },
    {
      said: 'Pin a post.',
      command:
        `curl -s -X POST ${shellWord(`${api}/boards/${board.slug}/posts?agent=${HANDLE}`)} \\\n  -H ` +
        '\'Content-Type: application/json\' \\\n  -d \'{"title": "…", "body": "…", "ttl": "7d"}\'',
    },
  ];
}
