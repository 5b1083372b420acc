interface Range {
  type: string;
  quality: number;
}

/** The quality of the first type in `wanted` that the `Accept` header contains; 0 when it contains none. */
function computeQuality(wanted: readonly string[], ranges: readonly Range[]): number {
  for (const type of wanted) {
    const range = ranges.find((one) => one.type === type);
    if (range) return range.quality;
  }
  return 0;
}

function listRanges(accept: string): Range[] {
  return accept
    .split(',')
    .slice(0, 50)
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    });
}

/**
 * Whether to respond with HTML rather than JSON. Browsers name HTML explicitly; programs that accept anything receive
 * JSON. Spec: What the service does, 5.
 */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = listRanges(accept ?? '');
  const page = computeQuality(['text/html', 'text/*'], ranges);
  return page > 0 && page >= computeQuality(['application/json', 'application/*', '*/*'], ranges);
}
