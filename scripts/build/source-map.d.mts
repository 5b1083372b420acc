export declare function toAscii(code: string): string;
export declare function toShippedMap(
  code: string,
  map: { sources: string[]; mappings: string },
): { version: 3; sources: string[]; names: string[]; mappings: string };
