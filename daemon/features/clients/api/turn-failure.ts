/** The reason why a turn cannot continue. Its message is shown to the operator unchanged. */
export class TurnError extends Error {
  override readonly name = 'TurnError';
}
