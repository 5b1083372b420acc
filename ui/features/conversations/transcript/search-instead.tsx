import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../../components/button.js';
import { useToast } from '../../../components/toasts.js';
import { useSearchConversation } from '../conversation-mutations.js';

/** Sends the text of a task to the consultant, which searches the project for it, and opens that conversation. */
export function SearchInstead({ text }: { text: string }) {
  const navigate = useNavigate();
  const say = useToast();
  const search = useSearchConversation();
  return (
    <Button
      isSmall
      isBusy={search.isPending}
      onClick={() =>
        search.mutate(text, {
          onSuccess: (conv) => void navigate({ to: '/talk/$conv', params: { conv } }),
          onError: (error) => say({ tone: 'failed', text: `It was not searched for. ${error.message}` }),
        })
      }
    >
      Search instead
    </Button>
  );
}
