import type { UseMutationResult } from '@tanstack/react-query';
import { Button } from './button.js';
import { useToast } from './toasts.js';

interface StopButtonProps<V> {
  /** Title of what is stopped. */
  title: string;
  cancel: Pick<UseMutationResult<unknown, Error, V>, 'mutate' | 'isPending'>;
  /** The variables of the `cancel` mutation. */
  of: V;
}

/** Stops a running item from its list row. A failure is shown as a toast. */
export function StopButton<V>({ title, cancel, of }: StopButtonProps<V>) {
  const say = useToast();
  return (
    <Button
      look="quiet"
      isSmall
      aria-label={`Stop “${title}”`}
      isBusy={cancel.isPending}
      onClick={() =>
        cancel.mutate(of, {
          onError: (error) => say({ text: `It could not be stopped. ${error.message}`, tone: 'failed' }),
        })
      }
    >
      Stop
    </Button>
  );
}
