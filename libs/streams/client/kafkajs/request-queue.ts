import { createRequire } from 'node:module';

/** What is used here of the queue of requests that each connection of kafkajs has. */
type RequestQueue = {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
};

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  readonly prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs 2.2.4 looks for requests that wait a thousand times a second on each connection, for as long as it is open and
 * whether any wait or not (tulios/kafkajs#1704): half of what an idle service does. Whatever makes one wait asks for the
 * next look by itself, and so does every answer.
 */
prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) schedule.call(this);
};
