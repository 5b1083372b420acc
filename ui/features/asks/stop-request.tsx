import { StopButton } from '../../components/stop-button.js';
import { useCancelRequest } from './asks-mutations.js';

/** Stops one ask where it stands in a list: its caller is told that the operator called it off. */
export default function StopRequest({ rid, question }: { rid: string; question: string }) {
  return <StopButton title={question} cancel={useCancelRequest()} of={rid} />;
}
