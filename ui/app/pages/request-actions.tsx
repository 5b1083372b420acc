import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AskBody, RequestDetail } from '../../../daemon/contract/asks.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { useToast } from '../../components/toasts.js';
import { ask } from '../../features/asks/ask-box/ask-as-program.js';
import { useCancelRequest } from '../../features/asks/asks-mutations.js';
import { requestMarkdown } from '../../features/asks/request-export.js';
import { snippet } from '../../features/exposure/snippets.js';
import { useShell } from '../../features/projects/use-shell.js';
import { download } from '../../lib/download.js';

interface RequestActionsProps {
  request: RequestDetail;
  token: string | undefined;
  isExposed: boolean;
}

/** Buttons that copy, export, open, stop and repeat a request. */
export function RequestActions({ request, token, isExposed }: RequestActionsProps) {
  const cancel = useCancelRequest();
  const shell = useShell();
  const say = useToast();
  const { isAsking, refusal, askAgain } = useAskAgain(request, token);
  const isOver = request.status === 'done' || request.status === 'error';
  return (
    <>
      <CopyButton
        label="Copy curl"
        text={() =>
          snippet('curl', { origin: window.location.origin, member: request.member, question: request.text, ...shell })
        }
      />
      <Button onClick={() => download(`${request.request_id}.md`, requestMarkdown(request))}>Export</Button>
      <Link to="/talk/$conv" params={{ conv: request.conv }} className={buttonClass()}>
        Open as conversation
      </Link>
      {!isOver && (
        <Button
          look="danger"
          isBusy={cancel.isPending}
          onClick={() =>
            cancel.mutate(request.request_id, {
              onError: () => say({ text: 'It could not be stopped.', tone: 'failed' }),
            })
          }
        >
          Stop
        </Button>
      )}
      <Button
        look={isOver ? 'primary' : 'secondary'}
        isBusy={isAsking}
        reasonDisabled={
          token
            ? undefined
            : isExposed
              ? 'Its token is not loaded yet.'
              : `${request.member} is internal: expose it to ask again.`
        }
        onClick={() => void askAgain()}
      >
        Ask again
      </Button>
      {refusal !== undefined && <ErrorPanel what="The request was not repeated." error={refusal} />}
    </>
  );
}

/** Returns a function that asks the question again and opens the new request, and how the attempt goes. */
function useAskAgain(request: RequestDetail, token: string | undefined) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const askAgain = async () => {
    if (!token) return;
    setIsAsking(true);
    setRefusal(undefined);
    try {
      const body: AskBody = {
        text: request.text,
        ...(request.session ? { session: request.session } : {}),
        ...(request.context_docs.length > 0 ? { context_docs: request.context_docs } : {}),
      };
      const accepted = await ask(request.member, token, body);
      await navigate({ to: '/requests/$rid', params: { rid: accepted.request_id } });
    } catch (error) {
      setRefusal(error);
    } finally {
      setIsAsking(false);
    }
  };
  return { isAsking, refusal, askAgain };
}
