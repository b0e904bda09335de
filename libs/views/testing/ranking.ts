/** A provider's ranking for tests. */

/** A name that breaks a page which does not escape it. */
export const HOSTILE_NAME = '<script>document.title = "broken"</script>';

/** Returns a world ranking of national teams or of clubs, as the provider answers it. */
export function ranking(id: number, of: 'teams' | 'clubs'): Readonly<Record<string, unknown>> {
  const rows: readonly (readonly [string, string, number, number])[] =
    of === 'teams'
      ? [
          ['Germany', 'Germany', 1, 1558],
          ['Brazil', 'Brazil', 3, 1431],
          [HOSTILE_NAME, 'Belgium', 2, 1298],
        ]
      : [['Real Madrid', 'Spain', 1, 18_500]];
  const type_name = of === 'teams' ? 'National team ranking' : 'Club ranking';
  return {
    id,
    name: type_name,
    type_id: of === 'teams' ? 9 : 11,
    type_name,
    subtype: 'standings',
    object_type: 'sport',
    object_id: 5,
    sport_id: 5,
    item_status: 'active',
    ut: 1_527_000_000,
    groups: [
      {
        id: '',
        name: '',
        zones: [],
        corrections: [],
        participants: rows.map(([name, area_name, last_rank, points], n) => ({
          id: 60_000 + n,
          name,
          area_name,
          rank: n + 1,
          last_rank,
          zone_name: '',
          subparticipant_id: '',
          subparticipant_name: '',
          columns: [
            { id: 8, name: 'Points', short_name: 'Pts', code: 'pts', value: points },
            { id: 195, name: 'Manual rank', short_name: 'MR', code: 'manual_rank', value: n + 1 },
          ],
        })),
      },
    ],
  };
}
