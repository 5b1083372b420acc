import type { Need } from './needs-you.js';

/**
 * The text of a browser notification and the page it opens. Anyone near the screen may read it, so it contains no text
 * from callers or files.
 */
export interface Notice {
  /**
   * The same for the same need in every tab. For a combined notice, the keys of the notices it replaces, one per line.
   */
  key: string;
  title: string;
  to: { to: '/team/$id' | '/requests/$rid' | '/talk/$conv' | '/'; params?: Record<string, string>; hash?: string };
}

/** Up to this many notices are shown one by one. */
const EACH = 3;
const DESK = { to: '/', hash: 'needs-you' } as const;

export function createNotice(need: Need): Notice {
  switch (need.kind) {
    case 'permission': {
      const { pid, conv, member } = need.permission;
      return {
        key: `permission ${pid}`,
        title: `${member ?? 'A conversation'} asks for permission`,
        to: { to: '/talk/$conv', params: { conv } },
      };
    }
    case 'payment':
      return { key: `payment ${need.approval.call_id}`, title: 'A payment needs your approval', to: DESK };
    case 'budget': {
      const { scope, state } = need.budget;
      const title = state === 'reached' ? 'A budget is used up' : 'A budget is nearly used up';
      return { key: `budget ${scope} ${state} ${need.at}`, title, to: DESK };
    }
    case 'question': {
      const { request_id: rid, member } = need.request;
      return {
        key: `question ${rid}`,
        title: `A request to ${member} needs you`,
        to: { to: '/requests/$rid', params: { rid } },
      };
    }
    case 'failed': {
      const { request_id: rid, member } = need.request;
      return {
        key: `failed ${rid}`,
        title: `A request to ${member} failed`,
        to: { to: '/requests/$rid', params: { rid } },
      };
    }
    case 'scheduled':
      return {
        key: `scheduled ${need.run.run}`,
        title: `A scheduled run of ${need.schedule.member} needs you`,
        to: DESK,
      };
    case 'exposure':
      return {
        key: `exposure ${need.members.map(({ id }) => id).join(' ')}`,
        title: 'This repository exposes members to other programs: your approval is needed',
        to: DESK,
      };
    case 'broken': {
      const { id } = need.member;
      return {
        key: `broken ${id}`,
        title: `The file of ${id} cannot be read`,
        to: { to: '/team/$id', params: { id } },
      };
    }
  }
}

/** Combines more than `EACH` notices into one. */
export function gathered(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= EACH) return notices;
  return [{ key: notices.map(({ key }) => key).join('\n'), title: `${notices.length} things need you`, to: DESK }];
}
