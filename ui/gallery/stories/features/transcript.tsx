import { Queue } from '../../../features/conversations/queue.js';
import { MessageLine, type Speakers } from '../../../features/conversations/transcript/message-line.js';
import { TurnEnding } from '../../../features/conversations/transcript/turn-ending.js';
import { citation, message, toolCall, turn } from '../../samples.js';
import type { Story } from '../../story.js';

const voices: Speakers = { member: { id: 'consultant', name: 'Consultant', isExposed: false }, project: 'lamp' };
const nothing = () => undefined;

export const story: Story = {
  title: 'Transcript',
  states: {
    'what you said': <MessageLine message={message()} voices={voices} onQuote={nothing} />,
    'from outside': (
      <MessageLine
        message={message({ from_outside: true, context_docs: ['notes.md', 'log.txt'] })}
        voices={{ ...voices }}
      />
    ),
    answered: (
      <MessageLine
        message={message({
          role: 'assistant',
          text: 'It is set in `src/retry.ts:40-72`.\n\n```ts\nexport const TRIES = 3;\n```',
          calls: [
            toolCall(),
            toolCall({ id: 'grep', name: 'grep', target: 'TRIES', output: 'src/retry.ts:40' }),
            toolCall({ state: 'running', name: 'bash', target: 'npm test', ms: undefined }),
            toolCall({ state: 'failed', name: 'bash', target: 'npm run deploy', ms: 3_200, output: 'exit 1' }),
          ],
          citations: [citation('checked')],
          dropped_citations: 2,
        })}
        voices={{ ...voices, member: { ...voices.member, isExposed: true } }}
        ending={<TurnEnding turn={turn()} onRetry={undefined} isRetrying={false} />}
      />
    ),
    'of meshd': (
      <MessageLine message={message({ role: 'system', text: 'The conversation was resumed.' })} voices={voices} />
    ),
    failed: (
      <TurnEnding
        turn={turn({ outcome: 'failed', code: 'client_failed', reason: 'The program ended with 1.', usage: null })}
        onRetry={nothing}
        isRetrying={false}
      />
    ),
    'failed, said again': (
      <TurnEnding
        turn={turn({ outcome: 'failed', code: 'client_failed', reason: null })}
        onRetry={nothing}
        isRetrying
      />
    ),
    stopped: (
      <TurnEnding turn={turn({ outcome: 'cancelled', code: 'cancelled' })} onRetry={nothing} isRetrying={false} />
    ),
    'what waits': (
      <Queue
        queue={[
          message({ id: 'msg-2', text: 'And the tests?' }),
          message({ id: 'msg-3', text: 'Then write it down. '.repeat(20) }),
        ]}
        acts={{ drop: nothing, dropAll: nothing }}
      />
    ),
  },
};
