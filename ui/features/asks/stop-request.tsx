import { Button } from '../../components/button.js';
import { useToast } from '../../components/toasts.js';
import { useCancelRequest } from './asks-mutations.js';

/** Stops one ask where it stands in a list: its caller is told that the operator called it off. */
export default function StopRequest({ rid, question }: { rid: string; question: string }) {
  const cancel = useCancelRequest();
  const say = useToast();
  return (
    <Button
      look="quiet"
      isSmall
      aria-label={`Stop “${question}”`}
      isBusy={cancel.isPending}
      onClick={() => cancel.mutate(rid, { onError: (error) => say({ text: `It could not be stopped. ${error.message}`, tone: 'failed' }) })}
    >
      Stop
    </Button>
  );
}
