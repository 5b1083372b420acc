import Markdown from '../../components/text/markdown.js';
import type { Story } from '../story.js';

const PROSE = `# A first heading

The retry policy stands in \`src/retry.ts:40-72\`, with **three** tries and *no* jitter. [Its issue](https://example.org/issues/7) tells why.

- one
- two

1. first
2. second

- [x] done
- [ ] open

> Said by somebody else.

| Try | Wait |
| --- | ---: |
| 1 | 200 ms |
| 2 | 400 ms |

\`\`\`ts
export const TRIES = 3;
\`\`\`

![A chart of the tries](https://example.org/chart.png)
`;

export const story: Story = {
  title: 'Markdown',
  states: {
    prose: <Markdown text={PROSE} />,
    'with tags': (
      <Markdown
        text="See #jobs and #nothing."
        linkTag={(tag) => (tag === 'jobs' ? <a href="#markdown">#jobs</a> : undefined)}
      />
    ),
    'too costly to read': <Markdown text={`${'> '.repeat(12)}a quote within quotes`} />,
  },
};
