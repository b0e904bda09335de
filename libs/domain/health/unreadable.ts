import type { IngressStatus } from '#records/types.ts';

/** Minimum number of unreadable messages: a single damaged message says nothing of its source. */
const MIN_UNREADABLE = 3;
/** Share of unreadable messages of the last minute above which a source is not believed. */
const MAX_SHARE = 0.1;

/** The counts of one process of an ingress service. */
type ProcessCounts = Pick<IngressStatus, 'messages_read' | 'messages_unreadable' | 'unreadable_in_row'>;

/**
 * Whether the messages of a source cannot be read: the last three that a process received, or a tenth of those that all processes
 * received in the last minute (docs/decisions/0080). It ends once a message is read and fewer of a minute are unreadable.
 */
export function isUnreadable(processes: readonly ProcessCounts[]): boolean {
  let read = 0;
  let unreadable = 0;
  for (const { messages_read, messages_unreadable } of processes) {
    read += messages_read;
    unreadable += messages_unreadable;
  }
  if (unreadable >= MIN_UNREADABLE && unreadable >= MAX_SHARE * (read + unreadable)) return true;
  // A row of a process that no longer receives messages ends a minute later, when another process reads them.
  return processes.some(
    ({ unreadable_in_row, messages_unreadable }) =>
      unreadable_in_row >= MIN_UNREADABLE && (messages_unreadable > 0 || read === 0),
  );
}
