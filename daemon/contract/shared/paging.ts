import { type Static, Type } from 'typebox';
import { LIST_LIMIT_MAX } from '../limits.js';

/** What selects a page of a list: at most 200 rows, after those of the page whose `next_cursor` is given. */
export const PageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
};
export const PageQuery = Type.Object(PageFields, { additionalProperties: false });
export type PageQuery = Static<typeof PageQuery>;
