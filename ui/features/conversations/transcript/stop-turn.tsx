import { StopButton } from '../../../components/stop-button.js';
import { useCancelTurn } from '../conversation-mutations.js';

/** Stops the running turn of a conversation from a list row. Queued messages continue. */
export default function StopTurn({ conv, title }: { conv: string; title: string }) {
  return <StopButton title={title} cancel={useCancelTurn(conv)} of={{}} />;
}
