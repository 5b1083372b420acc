/** Blocks the event loop for `ms` milliseconds. */
export function keepBusy(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

/** Counts the iterations of the event loop until it is stopped. */
export function countRounds(): { rounds: number; stop: () => void } {
  let isOver = false;
  const counted = {
    rounds: 0,
    stop: () => {
      isOver = true;
    },
  };
  const count = (): void => {
    counted.rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return counted;
}
