/** The fields of the spec's table "Resources and their fields", each with its type, and how to read the records. */
import { z } from 'zod';
import { contract, dataOf } from './served.ts';

const int = z.int();
const text = z.string();
const yesNo = z.enum(['yes', 'no']);
/** Any value, but not missing. */
const there = z.unknown().refine((value) => value !== undefined);
const nullable = <T extends z.ZodType>(type: T) => z.union([type, z.null(), z.literal('')]);

/** The fields of a row of a table, each with its type. */
export type RowFields = Readonly<Record<string, z.ZodType>>;

type Resource = {
  readonly name: string;
  /** Returns the records with the fields; at least one. */
  readonly read: () => Promise<readonly unknown[]>;
  readonly rows: readonly RowFields[];
};

const side = (counter: 1 | 2) =>
  z.looseObject({
    id: int,
    name: text,
    short_name: nullable(text),
    acronym: text.regex(/^A\d+$/),
    counter: z.literal(counter),
    results: z.array(z.looseObject({ id: int, value: text })).min(1),
  });

/** Competition 12 is not in the catalogue: only an event names it. */
const isListed = ({ id }: { readonly id: number }): boolean => id !== 12;

async function whole(path: string): Promise<unknown[]> {
  return [{ api: await contract().answer(path) }];
}

async function grant(): Promise<unknown> {
  const { id, secret } = contract().everything;
  return contract().answerTo(null, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
}

async function tables() {
  const list = '/v2/standings?object_type=season&object_id=20&limit=500';
  return (await dataOf(list)).standings_list as { id: number; type_id: number }[];
}

async function tableOf(typeId: number) {
  const found = (await tables()).find(({ type_id }) => type_id === typeId);
  return (await dataOf(`/v2/standings/${found?.id}`)).standings;
}

async function chain() {
  return (await dataOf('/v2/events/1005')).competition;
}

async function event() {
  return (await chain()).season.stage.group.event;
}

async function stagesOf(season: number): Promise<unknown[]> {
  return (await dataOf(`/v2/stages?season_id=${season}`)).competitions[0].seasons[0].stages;
}

export const RESOURCES: readonly Resource[] = [
  {
    name: 'Response envelope',
    read: () => whole('/v2/events?season_id=20&limit=5'),
    rows: [
      { 'api.ver': text.regex(/^\d+\.\d+\.\d+$/) },
      { 'api.timestamp': int.gt(1_700_000_000) },
      { 'api.method.name': z.literal('events.index') },
      { 'api.method.total_items': z.literal(12) },
      { 'api.method.next_page': z.url().regex(/[?&]token=/) },
      { 'api.method.parameters': z.record(text, text) },
      { 'api.data': z.looseObject({ competitions: z.array(z.unknown()) }) },
    ],
  },
  {
    name: 'Response envelope',
    read: async () => [{ api: await grant() }],
    rows: [{ 'api.method.details': z.literal('oauth') }],
  },
  {
    name: 'Response envelope',
    read: async () => [
      { api: { error: await contract().refuses('/v2/events?limit=7', 'INVALID_PARAMETER') } },
    ],
    rows: [{ 'api.error.message': text.min(1) }, { 'api.error.internal_code': z.literal(13) }],
  },
  {
    name: 'Token record',
    read: async () => [((await grant()) as { data: unknown }).data],
    rows: [{ client_id: text.min(1) }, { token: text.min(20) }, { token_expiration: int.gt(1_700_000_000) }],
  },
  {
    name: 'Sport',
    read: async () => (await dataOf('/v2/sports?limit=500')).sports,
    rows: [{ id: int }, { name: text }, { url: text }, { active: yesNo }, { has_timer: yesNo }],
  },
  {
    name: 'Standings catalogue',
    read: tables,
    rows: [
      { id: int },
      { name: text.min(1) },
      { type_id: int, type_name: text },
      { subtype: z.enum(['standings', 'standings_live', 'form', 'overall_stats']) },
      { object_type: z.enum(['season', 'stage']) },
      { object_id: int },
      { object_name: text },
      { item_status: z.literal('active') },
    ],
  },
  {
    name: 'Standing',
    read: async () => [await tableOf(2)],
    rows: [
      { id: int, type_id: int, type_name: text, object_type: text, object_id: int },
      { columns: z.tuple([]) },
      {
        groups: z
          .array(
            z.looseObject({
              id: text,
              name: text,
              zones: z.array(z.unknown()),
              corrections: z.array(z.unknown()),
              participants: z.array(z.unknown()).min(1),
            }),
          )
          .min(1),
      },
    ],
  },
  {
    name: 'Participant row',
    read: async () => (await tableOf(2)).groups[0].participants,
    rows: [
      { id: int, name: text.min(1) },
      { participant_acronym: nullable(text) },
      { area_id: nullable(int), area_name: nullable(text) },
      { rank: int, last_rank: nullable(int) },
      {
        columns: z
          .array(z.looseObject({ id: int, code: text, short_name: text, value: z.union([z.number(), text]) }))
          .min(1),
      },
    ],
  },
  {
    name: 'Participant row',
    read: async () => (await tableOf(6)).groups[0].participants,
    rows: [
      { participant_type: z.literal('person') },
      { subparticipant_id: z.literal([101, 102]), subparticipant_name: text.regex(/^Team 10[12]$/) },
    ],
  },
  {
    name: 'Structure',
    read: async () => (await dataOf('/v2/competitions')).competitions.filter(isListed),
    rows: [
      {
        id: int,
        name: text,
        short_name: text.optional(),
        seasons: z.array(z.unknown()),
        stats_lvl: z.enum(['bronze', 'silver', 'gold', '']),
        generate_season_stats: z.boolean(),
      },
    ],
  },
  {
    name: 'Structure',
    read: async () => (await dataOf('/v2/competitions')).competitions[0].seasons,
    rows: [{ id: int, name: text, actual: yesNo, stages: z.array(z.unknown()).min(1) }],
  },
  {
    name: 'Structure',
    // The league has a table, the cup has a bracket.
    read: async () => (await Promise.all([20, 21].map(stagesOf))).flat(),
    rows: [
      {
        id: int,
        name: text,
        start_date: text.optional(),
        end_date: text.optional(),
        show_standings: yesNo,
        has_brackets: yesNo,
        groups: z.array(z.unknown()),
      },
    ],
  },
  {
    name: 'Structure',
    read: async () => (await dataOf('/v2/events?season_id=20')).competitions[0].seasons[0].stages[0].groups,
    rows: [{ id: int, name: text, events: z.array(z.unknown()).min(1) }],
  },
  {
    name: 'Event',
    read: async () => [await event()],
    rows: [
      { id: int },
      { name: text },
      { start_date: text.regex(/^\d{4}-\d\d-\d\d \d\d:\d\d$/) },
      { competition_id: int, season_id: int, stage_id: int, group_id: int, sport_id: int },
      { round_id: int, round_name: text },
      { status_id: int, status_name: text.min(1), status_type: z.literal('live') },
      { relation_status: z.literal('in_progress') },
      { clock_time: int.min(0) },
      { played_time: int.min(2_700) },
      { clock_status: z.literal('running') },
      { winner_id: z.literal(101) },
      { neutral_venue: z.literal('yes') },
      { coverage_type: z.literal('from_tv') },
      { event_stats_lvl_live: z.literal('silver') },
      { bet_status: z.literal('active') },
      { latency: z.literal('3-6s') },
      { verified_result: z.literal('yes') },
      {
        series: z.strictObject({
          order: z.literal(2),
          event_ids: z.tuple([z.literal(1001), z.literal(1005)]),
        }),
      },
      {
        participants: z.tuple([side(1), side(2)]),
      },
      { events_incidents: z.array(z.looseObject({ id: text })).min(6) },
    ],
  },
  {
    name: 'Incident',
    read: async () => dataOf('/v2/events/1005/incidents'),
    rows: [
      { id: text.regex(/^5-/) },
      { incident_id: int },
      { incident_name: text.min(1) },
      { participant_id: nullable(int), participant_name: nullable(text) },
      { subparticipant_id: nullable(int), subparticipant_name: nullable(text) },
      { event_status_id: int, event_status_name: text.min(1) },
      { event_time: text.regex(/^\d{2,}:\d\d$/) },
      { confirmation: z.enum(['confirmed', 'tbd', 'cancelled']).nullable() },
      { attribute_ids: z.array(z.unknown()), properties: there, additional_info: there },
      { ut: int.gt(1_700_000_000) },
      { parent_id: text.nullable() },
    ],
  },
];
