import { z } from 'zod';

/**
 * A table in the provider's shape (`data.standings`), as far as it is shown. It may be the provider's own: what is
 * missing or of another type is taken for unknown, never for an error.
 */

const number = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .nullable()
  .catch(null);
const text = z.union([z.string(), z.number()]).transform(String).catch('');
const cell = z.object({ code: text, short_name: text, name: text, value: text });

const row = z.object({
  id: number,
  name: text,
  rank: number,
  last_rank: number,
  zone_name: text,
  subparticipant_name: text,
  columns: z.array(cell).catch([]),
});

const zone = z.object({
  name: text,
  colour: z
    .string()
    .regex(/^#[0-9a-f]{3,8}$/i)
    .nullable()
    .catch(null),
});
const correction = z.object({ participant_name: text, value: text, reason: text });

const group = z.object({
  id: number,
  name: text,
  participants: z.array(row).catch([]),
  zones: z.array(zone).catch([]),
  corrections: z.array(correction).catch([]),
});

const schema = z.object({ groups: z.array(group).catch([]) });

export type ShownTable = z.infer<typeof schema>;
export type ShownGroup = ShownTable['groups'][number];
export type ShownRow = ShownGroup['participants'][number];

/** Reads a table; one that is none has no groups. */
export function readTable(record: Readonly<Record<string, unknown>>): ShownTable {
  return schema.parse(record);
}

/** Whether the rows are players, each with the team it plays for. */
export function isOfPlayers({ participants }: ShownGroup): boolean {
  return participants.some(({ subparticipant_name }) => subparticipant_name !== '');
}

/** The value of a column; '' where the row has none. */
export function valueIn(row: ShownRow, code: string): string {
  return row.columns.find((column) => column.code === code)?.value ?? '';
}

/** What the live table says in columns and the page says otherwise: who plays, and how it stands. */
const OF_PLAY: ReadonlySet<string> = new Set(['is_playing', 'home_result', 'away_result', 'event_id']);

/** The columns to show, in the order of the first row that has them. */
export function columnsOf({
  participants,
}: ShownGroup): { code: string; short_name: string; name: string }[] {
  const columns = new Map<string, { code: string; short_name: string; name: string }>();
  for (const { code, short_name, name } of participants.flatMap((one) => one.columns)) {
    if (!OF_PLAY.has(code) && !columns.has(code)) columns.set(code, { code, short_name, name });
  }
  return [...columns.values()];
}

/** The match that a team is playing now, as the live table says; null where it plays none. */
export function playing(row: ShownRow): { eventId: number; score: string } | null {
  const eventId = Number(valueIn(row, 'event_id'));
  if (valueIn(row, 'is_playing') !== 'yes' || !Number.isSafeInteger(eventId) || eventId <= 0) return null;
  return { eventId, score: `${valueIn(row, 'home_result')}–${valueIn(row, 'away_result')}` };
}

/** How many places a row went up (positive) or down since the round before; null where that is unknown. */
export function movementOf({ rank, last_rank }: ShownRow): number | null {
  return rank === null || last_rank === null ? null : last_rank - rank;
}
