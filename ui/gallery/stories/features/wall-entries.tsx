import { MessageEntry, NoteEntry } from '../../../features/clusters/wall/wall-entry.js';
import type { MessageLine, Note } from '../../../features/clusters/wall/wall-log.js';
import type { Story } from '../../story.js';

const renderMessage = (changes: Partial<MessageLine> = {}) => (
  <MessageEntry
    you="ada"
    places={{ room: 'the-commons', boards: new Set(['jobs']) }}
    line={{
      kind: 'said',
      key: 1,
      at: Date.now(),
      from: 'grace',
      isOwn: false,
      to: null,
      said: { text: 'The tide turns at 14:02, see https://tides.example/ and #jobs.', media: [], data: undefined },
      isBeingWritten: false,
      board: undefined,
      standing: undefined,
      ...changes,
    }}
  />
);
const note = (words: Note) => (
  <NoteEntry room="the-commons" line={{ kind: 'note', key: 1, at: Date.now(), note: words }} />
);
const own = { isOwn: true, from: 'ada' };

export const story: Story = {
  title: 'Wall entries',
  states: {
    'from outside': renderMessage(),
    'your own': renderMessage({ ...own, standing: { state: 'reached', count: 3 } }),
    'reached nobody': renderMessage({ ...own, to: ['grace'], standing: { state: 'reached', count: 0 } }),
    'on its way': renderMessage({ ...own, standing: { state: 'sending' } }),
    refused: renderMessage({ ...own, standing: { state: 'refused', detail: 'Too many messages; wait a little.' } }),
    'nobody knows': renderMessage({ ...own, standing: { state: 'unknown' } }),
    direct: renderMessage({ to: ['ada'] }),
    'being written': renderMessage({ isBeingWritten: true }),
    data: renderMessage({ said: { text: '', media: [], data: '{"tide":"out"}' } }),
    joined: note({ what: 'joined', handle: 'ada', vis: 'public' }),
    presence: note({ what: 'presence', came: ['grace', 'edsger'], left: ['alan'] }),
    cut: note({ what: 'cut', since: Date.now() - 60_000, until: Date.now() }),
    error: note({ what: 'error', detail: 'The cluster is full.' }),
  },
};
