import { EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { copyRow, createWord, grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

/** Conversations of two messages each: the time to read the newest page, to search and to read one. */
export const conversations: Grow = {
  name: 'conversations',
  sizes: [10, 100, 1_000, 10_000, 100_000],
  at: (size) =>
    grown(
      async (daemon) => {
        const { conv } = await daemon.converse({ member: 'consultant' });
        const feed = await EventFeed.open(daemon);
        await feed.untilEnded(await daemon.post(conv, 'What does this project do?'));
        feed.close();
        return conv;
      },
      (store) => {
        copyRow(store, 'conversations', 'from_outside = 0', size - 1, {
          seq: '',
          conv: "'grown' || i",
          title: "'About ' || word(i)",
          updated_ms: 'one.updated_ms - i',
        });
        for (const role of ['user', 'assistant']) {
          copyRow(store, 'messages', `role = '${role}'`, size - 1, {
            seq: '',
            id: `'${role}' || i`,
            conv: "'grown' || i",
            text: "'Tell me of ' || word(i)",
          });
        }
        store.exec("INSERT INTO messages_text (rowid, text) SELECT seq, text FROM messages WHERE conv LIKE 'grown%'");
      },
      async ({ daemon, time }, first) => {
        const page = await time(['/conversations?limit=50']);
        const search = await time([3, 5, 7].map((i) => `/conversations?limit=50&q=${createWord(i)}`));
        const one = await time([`/conversations/${first}/messages?limit=50`]);
        return { ms: { 'newest page': page, search, 'read one': one }, megabytes: daemon.residentBytes() / 1e6 };
      },
    ),
};
