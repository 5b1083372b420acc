import { copyRow, createWord, grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

/** Requests that are done: the time to read the newest page, to search and to read one. */
export const requests: Grow = {
  name: 'requests',
  sizes: [10, 100, 1_000, 10_000, 100_000],
  at: (size) =>
    grown(
      async (daemon) => {
        const token = await daemon.getToken('consultant');
        const { request_id } = await daemon.ask('consultant', token, { text: 'What does this project do?' });
        return { token, first: request_id };
      },
      (store) => {
        copyRow(store, 'asks', "status = 'done'", size - 1, {
          seq: '',
          request_id: "'grown' || i",
          turn: 'NULL',
          created_ms: 'one.created_ms - i',
          text: "'Where is ' || word(i) || ' set?'",
        });
        store.exec(
          'INSERT INTO asks_text (rowid, text, result_text) SELECT seq, text, result_text FROM asks WHERE ' +
            "request_id LIKE 'grown%'",
        );
      },
      async ({ daemon, time }, { first }) => {
        const page = await time(['/requests?limit=50']);
        const search = await time([3, 5, 7].map((i) => `/requests?limit=50&q=${createWord(i)}`));
        const one = await time([`/requests/${first}`]);
        return { ms: { 'newest page': page, search, 'read one': one }, megabytes: daemon.residentBytes() / 1e6 };
      },
    ),
};
