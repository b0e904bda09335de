import { createRequire } from 'node:module';

/** The part of kafkajs's request queue of a connection that we use. */
type RequestQueue = {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
};

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  readonly prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs 2.2.4 checks for waiting requests a thousand times a second on each open connection, whether any waits or not
 * (tulios/kafkajs#1704): half the CPU of an idle service. Each waiting request and each answer schedules the next check
 * by itself.
 */
prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) schedule.call(this);
};
