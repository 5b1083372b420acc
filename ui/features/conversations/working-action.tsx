import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../lib/use-now.js';
import { callWords } from './conversation-words.js';
import { workQuery } from './working-query.js';
import { useSilence } from './working-silence.js';

/** What the turn that runs in a conversation did last, and for how long it has been silent: words of a line about it. */
export function WorkingAction({ conv }: { conv: string }) {
  const call = useQuery(workQuery({ conv })).data?.calls.at(-1);
  const silence = useSilence(conv, useNow(1_000));
  return [call && callWords(call), silence].map((words) => words && ` · ${words}`);
}
