import { StopButton } from '../../components/stop-button.js';
import { useCancelRequest } from './asks-mutations.js';

/** Cancels an ask from a list row. Its caller gets an error that the operator cancelled it. */
export default function StopRequest({ rid, question }: { rid: string; question: string }) {
  return <StopButton title={question} cancel={useCancelRequest()} of={rid} />;
}
