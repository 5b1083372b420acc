import { useState } from 'react';

/**
 * Optimistic choice for a value that is stored elsewhere (by the daemon or in the URL) and is updated with a delay. The
 * latest chosen value is returned until its `choose` settles. `choose` must report its own failure.
 */
export function useChosen<T>(kept: T, choose: (value: T) => Promise<unknown>): [shown: T, choose: (value: T) => void] {
  const [chosen, setChosen] = useState<{ value: T }>();
  const show = (value: T) => {
    const mine = { value };
    setChosen(mine);
    const end = () => setChosen((last) => (last === mine ? undefined : last));
    choose(value).then(end, end);
  };
  return [chosen ? chosen.value : kept, show];
}
