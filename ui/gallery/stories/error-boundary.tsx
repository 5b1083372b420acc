import { ErrorBoundary } from '../../components/error-boundary.js';
import type { Story } from '../story.js';

function Fails(): never {
  throw new Error('drawn to fail');
}

export const story: Story = {
  title: 'Error boundary',
  states: {
    whole: <ErrorBoundary what="This panel could not be drawn.">What it guards.</ErrorBoundary>,
    failed: (
      <ErrorBoundary what="This panel could not be drawn.">
        <Fails />
      </ErrorBoundary>
    ),
  },
};
