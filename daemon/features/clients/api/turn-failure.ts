/** Why a turn cannot go on, in words that are fit for the operator as they are. */
export class TurnFailure extends Error {
  override readonly name = 'TurnFailure';
}
