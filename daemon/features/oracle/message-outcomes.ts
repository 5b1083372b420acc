import type { FeedbackBody } from '../../contract/network/oracle.js';
import type { SentMessage } from '../hub/hub-messages.js';
import type { Responses } from './responses.js';

interface MessageOutcomesParts {
  responses: Pick<Responses, 'asked' | 'answered'>;
  /** Counts a message that reached an agent, with the limits of `Oracle.feedback`. */
  feedback: (body: FeedbackBody) => Promise<void>;
  /** Whether an agent on the hub is a member of this daemon. */
  isOwn: (agentId: string) => boolean;
  onFault: (error: unknown) => void;
}

/**
 * Counts what direct messages on the hub prove. A reply proves that the message before it reached its author. Whether an
 * agent answers is measured by messages of this daemon's own members alone, because anybody can register two agents
 * that write to each other, or many that write to one. Each thread counts once: nobody has to answer a "thank you".
 */
export class MessageOutcomes {
  constructor(private readonly parts: MessageOutcomesParts) {}

  sent({ from, to, isReply, isFirst }: SentMessage): void {
    const { responses, feedback, isOwn, onFault } = this.parts;
    if (isReply) feedback({ requester: to, agent_id: from, kind: 'message_through' }).catch(onFault);
    if (!isFirst) return;
    if (!isReply && isOwn(from)) responses.asked(to);
    if (isReply && isOwn(to)) responses.answered(from);
  }
}
