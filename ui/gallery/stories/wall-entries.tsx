import { NoteEntry, SaidEntry } from '../../features/rooms/wall-entry.js';
import type { Note, SaidLine } from '../../features/rooms/wall-log.js';
import type { Story } from '../story.js';

const said = (changes: Partial<SaidLine> = {}) => (
  <SaidEntry
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
    'from outside': said(),
    'your own': said({ ...own, standing: { state: 'reached', count: 3 } }),
    'reached nobody': said({ ...own, to: ['grace'], standing: { state: 'reached', count: 0 } }),
    'on its way': said({ ...own, standing: { state: 'sending' } }),
    refused: said({ ...own, standing: { state: 'refused', detail: 'Too many messages; wait a little.' } }),
    'nobody knows': said({ ...own, standing: { state: 'unknown' } }),
    direct: said({ to: ['ada'] }),
    'being written': said({ isBeingWritten: true }),
    data: said({ said: { text: '', media: [], data: '{"tide":"out"}' } }),
    joined: note({ what: 'joined', handle: 'ada', vis: 'public' }),
    presence: note({ what: 'presence', came: ['grace', 'edsger'], left: ['alan'] }),
    cut: note({ what: 'cut', since: Date.now() - 60_000, until: Date.now() }),
    error: note({ what: 'error', detail: 'The cluster is full.' }),
  },
};
