import { expect, it, vi } from 'vitest';
import type { ToastText } from '../../components/toasts.js';
import { sayChange } from './conversation-changes.js';

it('an Undo that fails is said', async () => {
  const said: ToastText[] = [];
  sayChange(
    'archive',
    () => Promise.reject(new Error('The daemon is away.')),
    (toast) => said.push(toast),
  );
  said[0]?.action?.run();
  await vi.waitFor(() => expect(said[1]).toEqual({ tone: 'failed', text: 'It was not undone. The daemon is away.' }));
});
