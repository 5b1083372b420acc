import { Refusal, standIn } from './daemon-stand-in.js';

/** What a command sent: method, path with query, and the body where there is one. */
type Sent = [call: string, body?: unknown];
type Answers = Readonly<Record<string, object | ((query: URLSearchParams) => object)>>;

/**
 * Starts a server that the command line takes for the daemon of `root`. It answers `METHOD /path` with the object of
 * that name, and anything else with 404. It ends with the test.
 */
export async function scriptedDaemon(answers: Answers): Promise<{ root: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const root = await standIn(({ line, body }) => {
    sent.push(body === undefined ? [line] : [line, body]);
    const [call, query] = line.split('?') as [string, string?];
    const answer = answers[call] ?? new Refusal(404, { error: 'not_found', message: 'There is none.' });
    return typeof answer === 'function' ? answer(new URLSearchParams(query)) : answer;
  });
  return { root, sent };
}

/** The cells of a printed table: columns are two or more spaces apart, and an empty cell is not seen. */
export const cellsOf = (out: string): string[][] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
