import { Type } from 'typebox';

/** The schema of a text that is one of `values`. */
export const oneOf = <T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...values], ...(description === undefined ? {} : { description }) }));

/** A schema whose value may also be null. */
export const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
