import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { Call, CallBody } from '../../../../daemon/contract/payments.js';
import { call } from '../../../lib/api.js';
import { useFrames } from '../../../lib/frames.js';
import { paymentsKeys } from '../payments-keys.js';
import { useCallSkill } from '../payments-mutations.js';

/** Tolerance in seconds for comparing times that are rounded to seconds. */
const SLACK_SECONDS = 2;

/**
 * Makes a call and reports its id through `onCall` as soon as an event reveals it, which is before the daemon sends its
 * response. `onCall` must be referentially stable.
 */
export function useSkillCall(onCall: (callId: string) => void) {
  const client = useQueryClient();
  const send = useCallSkill();
  const waits = useRef<{ agent: string; skill: string; since: number }>(undefined);

  const adopt = useCallback(
    (known: Call) => {
      waits.current = undefined;
      client.setQueryData(paymentsKeys.call(known.call_id), known);
      onCall(known.call_id);
    },
    [client, onCall],
  );
  useFrames(
    useCallback(
      (frame) => {
        if (frame.type !== 'call.changed' || !waits.current) return;
        // A failure here is harmless: the response of the call has the id too.
        void call<Call>(`/calls/${encodeURIComponent(frame.call_id)}`).then(
          (found) => {
            const wanted = waits.current;
            if (
              wanted &&
              found.agent.toLowerCase() === wanted.agent.toLowerCase() &&
              found.skill === wanted.skill &&
              found.created_at >= wanted.since
            )
              adopt(found);
          },
          () => undefined,
        );
      },
      [adopt],
    ),
  );
  const submit = (body: CallBody) => {
    waits.current = { agent: body.agent, skill: body.skill, since: Math.floor(Date.now() / 1_000) - SLACK_SECONDS };
    send.mutate(
      { body, key: crypto.randomUUID() },
      {
        onSuccess: adopt,
        onError: () => {
          waits.current = undefined;
        },
      },
    );
  };
  return { submit, isPending: send.isPending, error: send.error };
}
