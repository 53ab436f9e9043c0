import type { RawBuilder } from 'kysely'
import { sql } from '../../core/platform/db.ts'

/** A user in the API, as SQL for one JSON value: the id and the name. Null without a user. */
export const personShape = (id: RawBuilder<unknown>) =>
  sql`(select json_build_object('id', u.id, 'name', coalesce(u.name, '')) from app_user u where u.id = ${id})`
