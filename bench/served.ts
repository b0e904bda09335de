import { statSync } from 'node:fs';
import { join } from 'node:path';
import { applyMessage, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import type { ViewRecord } from '#views/ingest/records.ts';
import { applyRecords } from '#views/render/apply.ts';
import { Views } from '#views/store/views.ts';
import type { Bench } from './context.ts';
import { sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 20_000, 100);
const MESSAGES = 12;
const COMPETITIONS = 10;
/** Number of events whose records are applied together. */
const BATCH = 50;
const RECEIVED_AT = 1_790_000_000_000;

/** Returns the pipeline's records of an event; its last state first, as a replica reads at its start. */
function recordsOf(event: number): ViewRecord[] {
  const match = newMatch(event);
  const records: ViewRecord[] = [];
  const place = { id: event, competition_id: event % COMPETITIONS, season_id: event % COMPETITIONS };
  for (let n = 0; n < MESSAGES; n++) {
    const offset = event * MESSAGES + n;
    const head = { id: offset, ut: 1_790_000_000 + n };
    const received = { origin: 'webhook', deliveryId: 'd', receivedAt: RECEIVED_AT } as const;
    const result = normalizeMessage(incidentMessage(head, { id: `5-${n}` }, place), received);
    if (result.kind !== 'normalized') throw new Error(result.kind);
    const { message } = result;
    const { ut, received_at, message_id } = message;
    const cause = { topic: 'normalized-messages', partition: 0, offset, ut, received_at, message_id };
    const { transitions, incidents } = applyMessage(match, message, cause);
    const at = { partition: 0, offset, key: String(event), written: received_at };
    records.push({ topic: 'normalized-messages', ...at, value: message });
    for (const value of transitions) records.push({ topic: 'match-transitions', ...at, value });
    for (const id of incidents)
      records.push({ topic: 'match-incidents', ...at, value: matchIncident(match, id) });
  }
  return [
    { topic: 'match-state', partition: 0, offset: event, key: String(event), value: matchState(match) },
    ...records,
  ];
}

/** Views on disk, with their cost. */
class Measured {
  readonly #folder: string;
  readonly #views: Views;
  #seconds = 0;

  constructor(folder: string, competitions: ReadonlySet<number> | null) {
    this.#folder = folder;
    const { views } = Views.open({
      folder,
      source: {},
      competitions,
      maxAgeMs: 1e9,
      boot: null,
      now: RECEIVED_AT,
    });
    this.#views = views;
  }

  apply(records: readonly ViewRecord[]): void {
    const before = process.cpuUsage();
    applyRecords(this.#views, records, [], RECEIVED_AT);
    this.#views.commit();
    const { user, system } = process.cpuUsage(before);
    this.#seconds += (user + system) / 1e6;
  }

  end(): { readonly mebibytes: number; readonly events: number; readonly seconds: number } {
    const events = this.#views.sql.value<number>('SELECT count(*) FROM events') ?? 0;
    this.#views.close();
    const mebibytes = statSync(join(this.#folder, 'views.sqlite')).size / 1024 / 1024;
    return { mebibytes, events, seconds: this.#seconds };
  }
}

/** Measures the views of an api that serves one of ten competitions. */
export const bench: Bench = {
  about: 'views of one of ten competitions beside views of all: size and processor time',
  subject: ['libs/views'],
  async run(context) {
    const all = new Measured(join(context.dir, 'served-all'), null);
    const some = new Measured(join(context.dir, 'served-some'), new Set([1]));
    for (let first = 0; first < EVENTS; first += BATCH) {
      const records = Array.from({ length: BATCH }, (_, n) => recordsOf(first + n)).flat();
      all.apply(records);
      some.apply(records);
    }
    const [whole, part] = [all.end(), some.end()];
    for (const [name, { mebibytes, events, seconds }] of Object.entries({ all: whole, 'one of ten': part }))
      context.print(
        `${name}: ${events} events, ${mebibytes.toFixed(1)} MiB, ${seconds.toFixed(1)} s of processor`,
      );
    const beside = (value: number) => ({ name: 'all of them', value });
    const name = `one of ${COMPETITIONS} competitions, ${EVENTS} events of ${MESSAGES} messages`;
    context.figure({
      name,
      unit: 'MiB',
      ours: part.mebibytes,
      beside: beside(whole.mebibytes),
      better: 'less',
    });
    context.figure({
      name,
      unit: 's of processor',
      ours: part.seconds,
      beside: beside(whole.seconds),
      better: 'less',
    });
  },
};
