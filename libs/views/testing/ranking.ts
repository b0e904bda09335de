/** A ranking of the provider for tests. */

type Fields = Readonly<Record<string, unknown>>;

/** A name that breaks a page which shows it as it is. */
export const HOSTILE_NAME = '<script>document.title = "broken"</script>';

/** A world ranking as the provider shows it, of national teams or of clubs. */
export function ranking(id: number, of: 'teams' | 'clubs'): Fields {
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
