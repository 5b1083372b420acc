import { useMutation, useQuery } from '@tanstack/react-query';
import type { FileOpened, OpenFileBody } from '../../../daemon/contract/code.js';
import { Button } from '../../components/button.js';
import { useToast } from '../../components/toasts.js';
import { call } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { editorsQuery } from './editors-query.js';

/** Opens a line of a project file in the operator's editor. Renders nothing while no editor is found or wanted. */
export function OpenInEditor({ path, line }: { path: string; line: number }) {
  const { data } = useQuery(editorsQuery());
  const say = useToast();
  const open = useMutation({
    mutationFn: (body: OpenFileBody) => call<FileOpened>('/project/open', { method: 'POST', body }),
    onSuccess: ({ name }) => say({ text: `Opened in ${name}.` }),
    onError: ({ message }) => say({ text: message, tone: 'failed' }),
  });
  const editor = data?.editors.find(({ editor }) => editor === data.opens_in);
  if (!editor) return null;
  return (
    <Button
      isSmall
      look="quiet"
      isBusy={open.isPending}
      aria-label={`Open ${toDisplayText(path)}:${line} in ${editor.name}`}
      title={`Open in ${editor.name}`}
      onClick={() => open.mutate({ path, line })}
    >
      Open in editor
    </Button>
  );
}
