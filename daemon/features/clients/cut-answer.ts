/** What is added to an answer that ends where the model's room did. */
export const CUT_ANSWER = '\n\n[The answer is cut here: the model reached the end of its room.]';

/** The reason of a turn in which the room ended before there was an answer. */
export const NO_ROOM = 'The model used all its room before it answered: choose one with more, or a lower effort.';
