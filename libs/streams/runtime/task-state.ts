/**
 * The life cycle of a task, in the terms of Kafka Streams where it has one: created, restoring, running, closed.
 *
 *     created ──► claiming ──► restoring ──► running
 *                  ▲    │          │            │
 *                  │    └──────────┴────────────┴──► failed, refused ──► claiming (by the stream's scheduler)
 *     any of them ──► closed
 */
export type TaskState =
  /** Assigned, nothing done yet. */
  | 'created'
  /** Fencing the previous owner, deciding its last transaction, finding the position. */
  | 'claiming'
  /** Reading the changelogs. */
  | 'restoring'
  /** Processing the input. */
  | 'running'
  /** Failed with an unknown outcome; claimed again once the group confirms this member. */
  | 'failed'
  /** Refused, as continuing would lose or repeat records: an operator decides. Claimed again at longer intervals. */
  | 'refused'
  /** Released. A task assigned again is a new one. */
  | 'closed';

/** The allowed next states. */
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

/** Throws for a transition that is not in the table: a defect of the runtime. */
export function requireTransition(from: TaskState, to: TaskState): void {
  if (!TRANSITIONS[from].includes(to)) throw new Error(`a task cannot go from ${from} to ${to}`);
}
