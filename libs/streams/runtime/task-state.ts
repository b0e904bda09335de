/**
 * The life of a task, in the words of Kafka Streams where it has one: created, restoring, running, closed.
 *
 *     created ──► claiming ──► restoring ──► running
 *                  ▲    │          │            │
 *                  │    └──────────┴────────────┴──► failed, refused ──► claiming (by the stream's scheduler)
 *     any of them ──► closed
 */
export type TaskState =
  /** Assigned, nothing was done yet. */
  | 'created'
  /** Fencing the owner before, deciding its last transaction, finding the position. */
  | 'claiming'
  /** Reading the changelogs. */
  | 'restoring'
  /** Processing the input. */
  | 'running'
  /** Something failed whose outcome is unknown; claimed again once the group confirms that it is still this member's. */
  | 'failed'
  /** Going on would lose or repeat records: an operator decides. Looked at again now and then. */
  | 'refused'
  /** Released. A task that is assigned again is a new one. */
  | 'closed';

/** What may follow each state. */
export const TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  created: ['claiming', 'closed'],
  claiming: ['restoring', 'failed', 'refused', 'closed'],
  restoring: ['running', 'failed', 'refused', 'closed'],
  running: ['failed', 'refused', 'closed'],
  failed: ['claiming', 'closed'],
  refused: ['claiming', 'closed'],
  closed: [],
};

export const TASK_STATES = Object.keys(TRANSITIONS) as TaskState[];

/** Throws where the table has no such transition: a defect of the runtime. */
export function requireTransition(from: TaskState, to: TaskState): void {
  if (!TRANSITIONS[from].includes(to)) throw new Error(`a task cannot go from ${from} to ${to}`);
}
