import { partitionKey } from '#streams/client/port.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, type TopicValues, topicName } from '#topics/topics.ts';
import type { Place } from '../../place.ts';
import { type Column, INCIDENTS, type Row, type Season, STATES, TABLES, TRANSITIONS } from './columns.ts';
import type { EXPORTS } from './command.ts';

/** Which records are exported; null: all. Times are those of receipt, Unix milliseconds, `to` not included. */
export type Choice = {
  readonly from: number | null;
  readonly to: number | null;
  readonly competition: number | null;
  readonly season: number | null;
};

/** One kind of export: where its rows are, and what they hold. */
export type Dataset = {
  readonly columns: readonly Column[];
  /** Gives all chosen rows, in the order of each partition. Rejects with `StreamError`, `DecodeError`. */
  read(place: Place, choice: Choice, onRow: (row: Row) => void | Promise<void>): Promise<void>;
};

const UNKNOWN: Season = { competition: null, season: null };

export const DATASETS = {
  states: {
    columns: STATES.columns,
    read: (place, choice, onRow) =>
      readLatest(place, 'match-state', async (state) => {
        const season = { competition: state.competition_id, season: state.season_id };
        if (isChosen(choice, state.cause.received_at, season))
          for (const row of STATES.rows(state, season)) await onRow(row);
      }),
  },
  transitions: {
    columns: TRANSITIONS.columns,
    async read(place, choice, onRow) {
      const seasons = await readSeasons(place);
      await readEach(place, 'match-transitions', async (transition) => {
        const season = seasons.get(transition.event_id) ?? UNKNOWN;
        if (isChosen(choice, transition.cause.received_at, season))
          for (const row of TRANSITIONS.rows(transition, season)) await onRow(row);
      });
    },
  },
  incidents: {
    columns: INCIDENTS.columns,
    async read(place, choice, onRow) {
      const seasons = await readSeasons(place);
      await readLatest(place, 'match-incidents', async (incident) => {
        const season = seasons.get(incident.event_id) ?? UNKNOWN;
        if (isChosen(choice, incident.cause.received_at, season))
          for (const row of INCIDENTS.rows(incident, season)) await onRow(row);
      });
    },
  },
  tables: {
    columns: TABLES.columns,
    read: (place, choice, onRow) =>
      readLatest(place, 'standings', async (table) => {
        const season = { competition: table.competition_id, season: table.season_id };
        // A table of the provider's own has no cause here.
        if (isChosen(choice, table.cause?.received_at ?? table.ut * 1_000, season))
          for (const row of TABLES.rows(table, season)) await onRow(row);
      }),
  },
} as const satisfies Record<keyof typeof EXPORTS, Dataset>;

export type DatasetName = keyof typeof DATASETS;

function isChosen(choice: Choice, receivedAt: number, { competition, season }: Season): boolean {
  return (
    (choice.from === null || receivedAt >= choice.from) &&
    (choice.to === null || receivedAt < choice.to) &&
    (choice.competition === null || competition === choice.competition) &&
    (choice.season === null || season === choice.season)
  );
}

/** Competition and season of each match, as its state has them. */
async function readSeasons(place: Place): Promise<ReadonlyMap<number, Season>> {
  const seasons = new Map<number, Season>();
  await readEach(place, 'match-state', ({ event_id, competition_id, season_id }) => {
    seasons.set(event_id, { competition: competition_id, season: season_id });
  });
  return seasons;
}

/**
 * The last record of each key, in the order of each partition. Read twice, so that no more than an offset of each key is held:
 * first for where they stand, then for what they are.
 */
async function readLatest<T extends TopicName>(
  place: Place,
  topic: T,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = place;
  const name = topicName(prefix, topic);
  const last = new Map<string, number>();
  const all = { brokers, topic: name, fromBeginning: true, untilEnd: true };
  const keyOf = (record: { readonly partition: number; readonly key: Buffer | null }) =>
    `${partitionKey({ topic: '', partition: record.partition })}/${record.key}`;
  await readTopic({ ...all, onRecord: (record) => void last.set(keyOf(record), record.offset) });
  const decoder = decoderOf(place, topic);
  await readTopic({
    ...all,
    async onRecord(record) {
      if (record.value === null || last.get(keyOf(record)) !== record.offset) return;
      await onValue(await decoder.decode(record.value));
    },
  });
}

/** Every record, in the order of each partition. */
async function readEach<T extends TopicName>(
  place: Place,
  topic: T,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = place;
  const decoder = decoderOf(place, topic);
  await readTopic({
    brokers,
    topic: topicName(prefix, topic),
    fromBeginning: true,
    untilEnd: true,
    async onRecord({ value }) {
      if (value !== null) await onValue(await decoder.decode(value));
    },
  });
}

function decoderOf<T extends TopicName>(place: Place, topic: T) {
  const { SCHEMA_REGISTRY_URL: url, TOPIC_PREFIX: prefix } = place;
  return Registry.open({ url, prefix }).decoder(topic);
}
