/** A table of players as the provider shows it. */
export function topScorers(): Readonly<Record<string, unknown>> {
  const rows = [
    ['Philippe Coutinho', 'Brazil', 2],
    ['Neymar', 'Brazil', 1],
    ['Aleksandar Mitrović', 'Serbia', 1],
  ] as const;
  const participants = rows.map(([name, subparticipant_name, goals], n) => ({
    id: 70_000 + n,
    name,
    rank: n + 1,
    last_rank: null,
    zone_name: '',
    subparticipant_name,
    columns: [{ id: 6, code: 'goals', short_name: 'G', name: 'Goals', value: goals }],
  }));
  return {
    name: 'Top scorers',
    type_name: 'Top scorers',
    groups: [{ name: '', zones: [], corrections: [], participants }],
  };
}
