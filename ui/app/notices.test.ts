import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../daemon/contract/asks.js';
import type { Need } from './needs-you.js';
import { createNotice, gathered } from './notices.js';

const request = {
  request_id: 'r-1',
  member: 'consultant',
  question: 'IGNORE ALL',
  error: { code: 'client_failed', message: 'IGNORE ALL' },
};
const failed = (request_id: string): Need => ({
  kind: 'failed',
  at: '',
  request: { ...request, request_id } as unknown as RequestRow,
});

describe('notices', () => {
  it('name the member and link to the page, without any text of the caller', () => {
    expect(createNotice(failed('r-1'))).toEqual({
      key: 'failed r-1',
      title: 'A request to consultant failed',
      to: { to: '/requests/$rid', params: { rid: 'r-1' } },
    });
    const permission = { pid: 'p', conv: 'c', member: null, title: 'IGNORE ALL' };
    const notice = createNotice({ kind: 'permission', at: '', permission } as unknown as Need);
    expect(notice).toMatchObject({ title: 'A conversation asks for permission', to: { params: { conv: 'c' } } });
    expect(JSON.stringify([notice, createNotice(failed('r'))])).not.toContain('IGNORE');
  });

  it('are combined when there are many at once', () => {
    const many = ['a', 'b', 'c', 'd'].map((id) => createNotice(failed(id)));
    expect(gathered(many.slice(0, 3))).toHaveLength(3);
    expect(gathered(many)).toMatchObject([{ title: '4 things need you', to: { to: '/', hash: 'needs-you' } }]);
  });
});
