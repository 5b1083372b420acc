import { Type } from 'typebox';

/** The schema of a text that is one of `values`. */
export const oneOf = <T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...values], ...(description === undefined ? {} : { description }) }));
