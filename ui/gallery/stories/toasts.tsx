import { Button } from '../../components/button.js';
import { type ToastText, useToast } from '../../components/toasts.js';
import type { Story } from '../story.js';

function ToastButton({ toast, children }: { toast: ToastText; children: string }) {
  const say = useToast();
  return (
    <Button data-says="" onClick={() => say(toast)}>
      {children}
    </Button>
  );
}

export const story: Story = {
  title: 'Toasts',
  states: {
    plain: <ToastButton toast={{ text: 'The token was rotated.' }}>Say a sentence</ToastButton>,
    failed: (
      <ToastButton toast={{ tone: 'failed', text: 'That question is over: answered or expired.' }}>
        Say what failed
      </ToastButton>
    ),
    'with an act': (
      <ToastButton toast={{ text: '“Old pier” is archived.', action: { label: 'Undo', run: () => undefined } }}>
        Say what can be undone
      </ToastButton>
    ),
  },
};
