import { Button } from '../../components/button.js';
import { useToast } from '../../components/toasts.js';
import { useCancelTurn } from './conversation-mutations.js';

/** Stops the running turn of a conversation where it stands in a list; what waits behind it goes on. */
export default function StopTurn({ conv, title }: { conv: string; title: string }) {
  const cancel = useCancelTurn(conv);
  const say = useToast();
  return (
    <Button
      look="quiet"
      isSmall
      aria-label={`Stop “${title}”`}
      isBusy={cancel.isPending}
      onClick={() => cancel.mutate({}, { onError: (error) => say({ text: `It could not be stopped. ${error.message}`, tone: 'failed' }) })}
    >
      Stop
    </Button>
  );
}
