import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/text/code-block.js';
import type { Story } from '../story.js';

const CURL =
  'curl -s http://127.0.0.1:4747/team/consultant/ask -H "Authorization: Bearer $CONSULTANT_TOKEN" -d ' +
  '\'{"text":"Where is the retry policy set?"}\'';

export const story: Story = {
  title: 'Code block',
  states: {
    scrolling: <CodeBlock label="curl" text={CURL} />,
    wrapped: <CodeBlock label="curl, wrapped" text={CURL} wraps />,
    'with an act': (
      <CodeBlock
        label="card.json"
        text={'{\n  "name": "Consultant"\n}'}
        actions={
          <Button look="quiet" isSmall>
            With token
          </Button>
        }
      />
    ),
  },
};
