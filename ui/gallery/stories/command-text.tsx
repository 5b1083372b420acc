import { CommandText } from '../../components/text/command-text.js';
import type { Story } from '../story.js';

const words = (text: string) => (
  <p style={{ width: 220 }}>
    <code>
      <CommandText text={text} />
    </code>
  </p>
);

export const story: Story = {
  title: 'Words of a command',
  states: {
    'flags stay whole': words('meshd wallet pay harbour --lamports 1000 --mode deposit --json'),
    'a line that goes on': words(
      'curl -s -X POST http://127.0.0.1:4747/team/consultant/ask \\\n  -H "Authorization: Bearer $TOKEN"',
    ),
    'one long word': words('https://harbour.example/'.padEnd(90, 'a-')),
  },
};
