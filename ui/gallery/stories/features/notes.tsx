import { Button } from '../../../components/button.js';
import { EmptyState, KeyValue, Notice, type NoticeTone } from '../../../components/notes.js';
import type { Story } from '../../story.js';

const notice = (tone: NoticeTone, words: string) => (
  <Notice tone={tone}>
    <p>{words}</p>
    <Button isSmall>Do it</Button>
  </Notice>
);

export const story: Story = {
  title: 'Notes',
  states: {
    empty: (
      <EmptyState action={<Button look="primary">Copy curl</Button>} command="meshd ask consultant">
        No requests yet.
      </EmptyState>
    ),
    'empty, with words alone': <EmptyState>No payments yet.</EmptyState>,
    info: notice('info', 'Answered locally without a model.'),
    needs: notice('needs', 'Its file cannot be followed as it stands.'),
    outside: notice('outside', 'Programs on this machine may ask it.'),
    failed: notice('failed', 'consultant.md:3:7 is no YAML.'),
    well: notice('well', 'Every check has passed.'),
    'keys and values': (
      <KeyValue
        rows={[
          ['Model', 'opus → claude-opus'],
          ['Endpoint', <code key="endpoint">http://127.0.0.1:4747/{'team/'.repeat(20)}</code>],
          false,
          ['Turns', '40'],
        ]}
      />
    ),
  },
};
