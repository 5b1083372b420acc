interface Range {
  type: string;
  quality: number;
}

/** The quality that the first of `wanted` which stands in an `Accept` header has there, 0 when none does. */
function qualityOf(wanted: readonly string[], ranges: readonly Range[]): number {
  for (const type of wanted) {
    const range = ranges.find((one) => one.type === type);
    if (range) return range.quality;
  }
  return 0;
}

function rangesOf(accept: string): Range[] {
  return accept
    .split(',')
    .slice(0, 50)
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    });
}

/** Whether a page is wanted rather than JSON: a browser names it, a program that takes anything gets JSON. Spec: What the service does, 5. */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = rangesOf(accept ?? '');
  const page = qualityOf(['text/html', 'text/*'], ranges);
  return page > 0 && page >= qualityOf(['application/json', 'application/*', '*/*'], ranges);
}
