import type { RequestDetail } from '../../contract/asks.js';
import { MEMBER_TEST_EXPECTATIONS_MAX, type MemberTest, type RequestTest } from '../../contract/member-tests.js';
import { MeshError } from '../../lib/errors.js';
import { readPlace } from './expectation.js';
import type { StoredTests } from './test-files.js';

/**
 * Returns the text of a member's tests with the question of an answered request at its end. The answer to it must cite
 * `cites`, or what this answer cites and the working tree still holds, or say that it is not found when it cited
 * nothing. Throws `bad_request` for an answer that the operator did not rate as good, without `cites`; for a place that
 * is none; and for a question that is in the file with other expectations.
 */
export function addQuestion(
  stored: StoredTests | undefined,
  request: Pick<RequestDetail, 'text' | 'status' | 'citations' | 'rating' | 'member'>,
  { cites }: RequestTest,
): string {
  const question = inOneLine(request.text);
  const expected = cites ? cites.map(requirePlace) : listCitedPlaces(request);
  const known = stored?.tests.find((test) => test.question === question);
  if (known && stored?.text !== undefined && sameExpectation(known, expected)) return stored.text;
  if (known) throw new MeshError('bad_request', 'This question is in the tests already: change it there.');
  if (stored && stored.text === undefined)
    throw new MeshError('bad_request', `The tests cannot be read: ${stored.problem?.reason ?? 'mend the file'}`);
  const before = stored?.text ?? `# What ${request.member} must answer\n`;
  const list = expected.length === 0 ? ['- not found'] : expected.map((place) => `- cites: ${place}`);
  return `${before.trimEnd()}\n\n## ${question}\n\n${list.join('\n')}\n`;
}

/** Returns the places that a good answer cites. Throws `bad_request` for any other request. */
function listCitedPlaces({
  status,
  rating,
  citations = [],
}: Pick<RequestDetail, 'status' | 'rating' | 'citations'>): string[] {
  if (status !== 'done')
    throw new MeshError('bad_request', `The request has no answer to expect: its status is \`${status}\`.`);
  if (rating?.value !== 'up')
    throw new MeshError(
      'bad_request',
      rating
        ? 'You rated the answer as bad: name in `cites` what the right one must cite.'
        : 'Rate the answer first: only a good one says what must be cited. Or name it in `cites`.',
      { details: { path: 'cites' } },
    );
  const standing = citations.filter((one) => one.status === 'checked' || one.status === 'moved');
  if (standing.length === 0 && citations.length > 0)
    throw new MeshError('bad_request', 'Nothing that the answer cites stands any more: name the places in `cites`.', {
      details: { path: 'cites' },
    });
  const places = standing.map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`);
  return [...new Set(places)].slice(0, MEMBER_TEST_EXPECTATIONS_MAX);
}

function requirePlace(text: string): string {
  const place = /[\n\r]/.test(text) ? 'has more than one line' : readPlace(text);
  if (typeof place === 'string')
    throw new MeshError('bad_request', `\`${text}\` ${place}.`, { details: { path: 'cites' } });
  return text;
}

/** A test without any place expects that nothing is found, or says something. */
const sameExpectation = ({ cites, says, never_says }: MemberTest, expected: readonly string[]): boolean =>
  cites.join('\n') === expected.join('\n') && says.length + never_says.length === 0;

const inOneLine = (text: string) => text.split(/\s+/u).filter(Boolean).join(' ');
