import { expect, it } from 'vitest';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { rawCall, requestMarkdown } from './request-export.js';

const request: RequestDetail = {
  request_id: 'req-1',
  member: 'consultant',
  conv: 'c-1',
  status: 'done',
  created_at: '2026-11-01T10:00:00.000Z',
  finished_at: '2026-11-01T10:00:01.000Z',
  client: 'builtin',
  model: 'none',
  text: 'Which port?\n\nAnd why?',
  session: 's1',
  context_docs: [],
  caller: { user_agent: 'harbour-clock/2.1 (linux)', idempotency_key: 'k-1' },
  polls: [],
  collected_at: null,
  result_text: 'It listens on 8123.\n',
  citations: [
    { path: 'src/server.ts', start_line: 4, end_line: 4, commit: 'abc', sha256: '', quote: '', status: 'checked' },
  ],
};

it('requestMarkdown makes a document of a request', () => {
  expect(requestMarkdown(request)).toBe(
    [
      '# Ask to consultant\n',
      '> Which port?\n>\n> And why?\n',
      '- Request req-1, asked by harbour-clock/2.1 on 2026-11-01T10:00:00.000Z',
      '- answered on 2026-11-01T10:00:01.000Z by builtin\n',
      '## Answer\n',
      'It listens on 8123.\n',
      '## Citations\n',
      '- src/server.ts:4: checked, at abc\n',
    ].join('\n'),
  );
});

it.each([
  [{ value: 'up', note: '' }, 'Rated good'],
  [{ value: 'down', note: 'It quotes\n\n## the wrong file.' }, 'Rated bad: It quotes ## the wrong file.'],
] as const)('requestMarkdown says how the answer was rated: %o', (rating, line) => {
  const text = requestMarkdown({ ...request, rating: { ...rating, rated_at: '2026-11-01T10:01:00.000Z' } });
  expect(text.split('\n')).toContain(`- ${line}`);
  expect(requestMarkdown(request)).not.toContain('Rated');
});

it('rawCall shows the call without the token', () => {
  expect(rawCall(request)).toBe(
    'POST /team/consultant/ask\nAuthorization: Bearer …\nUser-Agent: harbour-clock/2.1 ' +
      '(linux)\nIdempotency-Key: k-1\nContent-Type: application/json\n\n' +
      JSON.stringify({ text: 'Which port?\n\nAnd why?', session: 's1' }, null, 2),
  );
});
