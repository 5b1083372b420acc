import type { IconName } from '../components/text/icon.js';

/** The pages of the rail by group, with the key that opens each after `g`. */
export const PLACES = {
  project: [
    { to: '/', name: 'Home', icon: 'desk', key: 'd' },
    { to: '/team', name: 'Team', icon: 'team', key: 't' },
    { to: '/talk', name: 'Conversations', icon: 'talk', key: 'c' },
    { to: '/roadmap', name: 'Roadmap', icon: 'roadmap', key: 'm' },
    { to: '/schedules', name: 'Schedules', icon: 'clock', key: 'e' },
    { to: '/requests', name: 'Requests', icon: 'requests', key: 'r' },
  ],
  network: [
    { to: '/rooms', name: 'Clusters', icon: 'rooms', key: 'o' },
    { to: '/find', name: 'Agent search', icon: 'find', key: 'f' },
    { to: '/map', name: 'Map', icon: 'map', key: 'p' },
    { to: '/ledger', name: 'Payments', icon: 'ledger', key: 'l' },
    { to: '/network', name: 'Shared network', icon: 'network', key: 'n' },
  ],
  other: [{ to: '/system', name: 'System', icon: 'system', key: 's' }],
} as const satisfies Record<string, readonly { to: string; name: string; icon: IconName; key: string }[]>;

/** How long after `g` the key of a page opens it, in milliseconds. */
export const CHORD_MS = 1_200;

export type Place = (typeof PLACES)[keyof typeof PLACES][number];

export const ALL_PLACES: readonly Place[] = Object.values(PLACES).flat();
