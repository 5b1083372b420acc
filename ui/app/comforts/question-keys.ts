const asked = (question: HTMLElement) => question.dataset['asked'] ?? '';

/** Presses the button of the newest question on the page that has this key. Returns whether there is one. */
export function answerNewest(key: string): boolean {
  const questions = [...document.querySelectorAll<HTMLElement>('[data-asked]')];
  const [newest] = questions.sort((a, b) => asked(b).localeCompare(asked(a)));
  const button = newest?.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  button?.click();
  return button != null;
}
