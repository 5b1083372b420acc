import type { UseMutationResult } from '@tanstack/react-query';
import { Button } from './button.js';
import { useToast } from './toasts.js';

interface StopButtonProps<V> {
  /** Of what is stopped. */
  title: string;
  cancel: Pick<UseMutationResult<unknown, Error, V>, 'mutate' | 'isPending'>;
  /** What `cancel` is told. */
  of: V;
}

/** Stops what runs where it stands in a list; a refusal is said. */
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
