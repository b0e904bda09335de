/**
 * Counts the requests that a process sends to brokers, by API key. Loaded into a service by `--import`. On SIGUSR2 it writes the
 * counts to the file of the variable REQUEST_COUNTS_FILE.
 */
import { subscribe } from 'node:diagnostics_channel';
import { renameSync, writeFileSync } from 'node:fs';

/** The channel on which the client library publishes each request before it sends it. */
const SENT = 'tracing:plt:kafka:connections:api:start';

const file = process.env.REQUEST_COUNTS_FILE ?? '';
const counts = new Map<number, number>();

subscribe(SENT, (request) => {
  const { apiKey } = request as { readonly apiKey: number };
  counts.set(apiKey, (counts.get(apiKey) ?? 0) + 1);
});
process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(counts)));
  renameSync(`${file}.new`, file);
});
