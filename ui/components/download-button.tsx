import { useMutation } from '@tanstack/react-query';
import { downloadFrom } from '../lib/download.js';
import { Button } from './button.js';
import { useToast } from './toasts.js';

/**
 * Saves what the daemon has at `path`. A link cannot: the daemon answers only what proves that it comes from its page.
 */
export function DownloadButton({ path, isSmall, children }: { path: string; isSmall?: boolean; children: string }) {
  const toast = useToast();
  const { mutate, isPending } = useMutation({
    mutationFn: () => downloadFrom(path),
    onError: (error) => toast({ tone: 'failed', text: `It could not be downloaded. ${error.message}` }),
  });
  return (
    <Button isSmall={isSmall ?? false} isBusy={isPending} onClick={() => mutate()}>
      {children}
    </Button>
  );
}
