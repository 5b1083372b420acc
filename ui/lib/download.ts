/** Browsers may begin a download in a later task, and report nothing when its address is gone by then. */
const ADDRESS_MS = 40_000;

/** Saves `text` as a plain text file called `name` through the browser's download. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), ADDRESS_MS);
}
