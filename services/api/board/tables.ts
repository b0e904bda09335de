import { z } from 'zod';
import { ZONE_COLOUR } from '#domain/standings/competition-rules.ts';

/** Parses tables in the provider's shape (`data.standings`). Missing fields and fields of another type become unknown, never an error. */

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
  colour: z.string().regex(ZONE_COLOUR).nullable().catch(null),
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
type ShownColumn = Omit<ShownRow['columns'][number], 'value'>;

/** Parses a table. A record that is no table gets no groups. */
export function readTable(record: Readonly<Record<string, unknown>>): ShownTable {
  return schema.parse(record);
}

/** Whether the rows are players, with the names of their teams. */
export function isOfPlayers({ participants }: ShownGroup): boolean {
  return participants.some(({ subparticipant_name }) => subparticipant_name !== '');
}

/** Returns the value of a column; '' when the row does not have it. */
export function valueIn(row: ShownRow, code: string): string {
  return row.columns.find((column) => column.code === code)?.value ?? '';
}

/** Columns of the live table that the page does not show as columns: they describe the team's current match. */
const LIVE_COLUMNS: ReadonlySet<string> = new Set(['is_playing', 'home_result', 'away_result', 'event_id']);

/** Returns the columns to show, in the order in which the rows first have them. */
export function columnsOf({ participants }: ShownGroup): ShownColumn[] {
  const columns = new Map<string, ShownColumn>();
  for (const { code, short_name, name } of participants.flatMap((one) => one.columns)) {
    if (!LIVE_COLUMNS.has(code) && !columns.has(code)) columns.set(code, { code, short_name, name });
  }
  return [...columns.values()];
}

/** Returns the current match of a row's team by the live table; null when the team is not playing. */
export function currentMatchOf(row: ShownRow): { eventId: number; score: string } | null {
  const eventId = Number(valueIn(row, 'event_id'));
  if (valueIn(row, 'is_playing') !== 'yes' || !Number.isSafeInteger(eventId) || eventId <= 0) return null;
  return { eventId, score: `${valueIn(row, 'home_result')}–${valueIn(row, 'away_result')}` };
}

/** Returns the number of places that a row moved up (positive) or down since the previous round; null when unknown. */
export function movementOf({ rank, last_rank }: ShownRow): number | null {
  return rank === null || last_rank === null ? null : last_rank - rank;
}
