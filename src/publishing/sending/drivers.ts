import type { Drivers, PostDrivers } from '../../delivery/driver.ts'
import { commentDriver } from './comment.ts'
import { postDriver, postSchedule } from './post.ts'
import { removalDriver } from './removal.ts'

/** The drivers that the delivery machine uses for posts. */
export const drivers: { of: PostDrivers; schedule: Drivers['schedule'] } = {
  of: { post: postDriver, comment: commentDriver, remove: removalDriver },
  schedule: postSchedule,
}
