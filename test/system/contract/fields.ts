/**
 * The rows of the tables of fields of the spec ("Resources and their fields", "States and transitions"): each must be
 * in answers of the running api with the spec's type. Null is an unknown value; a missing field is a failure.
 */
import { describe, expect, test } from 'vitest';
import { RESOURCES, type RowFields } from './resources.ts';
import { dataOf } from './served.ts';
import { isDefault } from './values.ts';

/** Columns of table types, as the spec names them. */
const LEAGUE = 'mp, won, draw, lost, goals_scored, goals_allowed, goals_diff, pts, form';
const CARDS =
  'yellow_cards, red_cards, cards, pts, mp, cards_per_match, yellow_cards_per_match, red_cards_per_match';
const TABLES: readonly (readonly [id: number, name: string, columns: string])[] = [
  [2, 'League standings', LEAGUE],
  [6, 'Top scorers', 'goals_scored, mp, goals_per_match, manual_rank'],
  [7, 'Cards', CARDS],
  [176, 'Assists', 'assists, mp, assists_per_match, manual_rank'],
  [18, 'Form table', 'form'],
  [47, 'Streaks', 'wins, draws, losses, no_wins, no_draws, no_losses'],
  [39, 'Most popular results', 'result, amount, pct'],
  [244, 'League standings live', `${LEAGUE}, is_playing, home_result, away_result, event_id`],
];

/** Ids of statuses and incident types, with their names in the spec. */
const INCIDENT_TYPES: readonly (readonly (readonly [id: number, name: string])[])[] = [
  [[413, 'Goal']],
  [[424, 'Goal cancelled']],
  [[449, 'Added time']],
  [
    [450, 'Substitution out'],
    [452, 'Substitution in'],
  ],
  [[1827, 'Possible goal']],
  [
    [1829, 'Possible card'],
    [1830, 'Possible card cancelled'],
  ],
  [
    [1832, 'Possible penalty'],
    [1831, 'Possible penalty cancelled'],
  ],
  [
    [1834, 'Possible VAR'],
    [2753, 'VAR ended'],
  ],
];

const STATUSES: readonly (readonly [ids: readonly number[], name: RegExp, type: string])[] = [
  [[1], /^Not started$/, 'scheduled'],
  [[5], /^Postponed$/, 'scheduled'],
  [[6], /^Start delayed$/, 'scheduled'],
  [[149], /^Delayed by rain$/, 'scheduled'],
  [[152], /^To finish$/, 'scheduled'],
  [[34], /^2nd half$/, 'live'],
  [[33, 35, 36], /(1st|2nd) half$/, 'live'],
  [[11], /^Finished$/, 'finished'],
  [[12], /^Finished awarded win$/, 'finished'],
  [[13], /^Finished after penalties$/, 'finished'],
  [[14], /^Finished after extra time$/, 'finished'],
  [[140], /^Finished after overtime$/, 'finished'],
];

/** Registers a test for each row. */
export function fieldRows(): void {
  describe('Fields', () => {
    for (const { name, read, rows } of RESOURCES) {
      for (const fields of rows) {
        // Not `test.each`, which truncates long titles.
        test(`${name}: ${Object.keys(fields).join(', ')}`, async () => {
          const records = await read();
          expect(records.length).toBeGreaterThan(0);
          for (const record of records) expectFields(record, fields);
          // A field with its default in every record could be hard-coded.
          const unset = Object.keys(fields).filter((field) =>
            records.every((one) => isDefault(at(one, field))),
          );
          // In the spec the columns of a standing are empty.
          expect(unset).toEqual(name === 'Standing' && 'columns' in fields ? ['columns'] : []);
        });
      }
    }

    test.each(TABLES.map(([id, name, columns]) => ({ id, name, columns })))(
      'Standings type: $id $name',
      async ({ id, name, columns }) => {
        const types = (await dataOf('/v2/standings-types?sport_id=5')).standings_types;
        const type = types.find(({ type_id }: { type_id: number }) => type_id === id);
        expect(type.type_name).toBe(name);
        const codes = type.columns.map(({ code }: { code: string }) => code);
        expect(codes).toEqual(expect.arrayContaining(columns.split(', ')));
      },
    );

    test.each(INCIDENT_TYPES.map((types) => ({ types, row: types.map(([id]) => id).join(' / ') })))(
      'Incident type: $row',
      async ({ types }) => {
        const known = (await dataOf('/v2/incidents?sport_id=5&limit=500')).incidents;
        for (const [id, name] of types) {
          const breaks = id === 1834 || id === 2753 ? 'yes' : 'no';
          expect(known).toContainEqual(expect.objectContaining({ id, name, game_break: breaks }));
        }
      },
    );

    test.each(STATUSES.map(([ids, name, type]) => ({ ids, name, type, row: ids.join(', ') })))(
      'Event status: $row',
      async ({ ids, name, type }) => {
        const { statuses } = await dataOf('/v2/statuses?limit=500');
        for (const id of ids)
          expect(statuses).toContainEqual(
            expect.objectContaining({ id, name: expect.stringMatching(name), type }),
          );
      },
    );
  });
}

/** Expects the fields in a record. A field may be missing when its type is optional. */
function expectFields(record: unknown, fields: RowFields): void {
  for (const [field, type] of Object.entries(fields)) {
    const issues = type.safeParse(at(record, field)).error?.issues ?? [];
    expect(issues, `${field} of ${JSON.stringify(record)}`).toEqual([]);
  }
}

/** Returns a field of a record or of a nested one: `api.method.name`. */
function at(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], record);
}
