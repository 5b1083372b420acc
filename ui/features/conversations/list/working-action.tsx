import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../../lib/use-now.js';
import { formatCall } from '../conversation-format.js';
import { workQuery } from './working-query.js';
import { useSilence } from './working-silence.js';

/** The last tool call of the running turn and how long the turn has been silent, as inline text. */
export function WorkingAction({ conv }: { conv: string }) {
  const call = useQuery(workQuery({ conv })).data?.calls.at(-1);
  const silence = useSilence(conv, useNow(1_000));
  return [call && formatCall(call), silence].map((words) => words && ` · ${words}`);
}
