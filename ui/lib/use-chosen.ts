import { useState } from 'react';

/**
 * For what is kept elsewhere, at the daemon or in the address, and so follows a moment after it was chosen: what one chose
 * last shows at once, until `choose` has ended. How it failed is for `choose` to say.
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
