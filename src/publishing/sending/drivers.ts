import type { Drivers } from '../../delivery/driver.ts'
import { commentDriver } from './comment.ts'
import { postDriver, postSchedule } from './post.ts'
import { removalDriver } from './removal.ts'

/** Everything that the delivery machine gets. */
export const drivers: Drivers = {
  of: { post: postDriver, comment: commentDriver, remove: removalDriver },
  schedule: postSchedule,
}
