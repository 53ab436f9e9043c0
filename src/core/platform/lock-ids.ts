// The advisory locks that the code takes in the database. A seed makes the key of a lock on a name
// (`hashtextextended(name, seed)`). A plain key is a separate lock, and no hash of 64 bits equals it in practice.
// Migrations use 7063 as a plain key (a new partition of figures) and 7064 as a seed (the standing of a person).

/** The seed of locks on names of job lanes: the process that holds one runs the lane. */
export const JOB_LANE_SEED = 7061
/** The seed of locks on names of processes: the process that holds one lives and reaches the database. */
export const PROCESS_SEED = 7062
/** The seed of locks on plans, whose changes take turns. */
export const PLAN_SEED = 7063
/** The seed of locks on the notices of a kind in a workspace that are counted in one. */
export const NOTICE_SEED = 7065
/** The seed of locks on ids of encryption keys: the processes that share one seal with that key. */
export const KEY_SEED = 7066
/**
 * The plain key of the sweep for due deliveries, which runs once at a time over all processes. While another transaction
 * has it, nothing gets a turn.
 */
export const SWEEP_LOCK = 7062
