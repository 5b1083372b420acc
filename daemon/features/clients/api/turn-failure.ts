/** The reason why a turn cannot continue. Its message is shown to the operator unchanged. */
export class TurnFailure extends Error {
  override readonly name = 'TurnFailure';
}
