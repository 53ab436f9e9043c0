import type { Drivers } from '../../delivery/driver.ts'
import { commentDriver } from './comment.ts'
import { postDriver, postSchedule } from './post.ts'

/** All that the delivery machine is given. */
export const drivers: Drivers = { of: { post: postDriver, comment: commentDriver }, schedule: postSchedule }
