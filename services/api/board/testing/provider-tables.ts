/** Tables in the shape in which the provider sends them. */
import { HOSTILE_NAME } from '#views/testing/ranking.ts';

type Fields = Readonly<Record<string, unknown>>;

const COLUMNS = [
  [1, 'mp', 'MP', 'Matches played'],
  [2, 'won', 'W', 'Won'],
  [3, 'draw', 'D', 'Draw'],
  [4, 'lost', 'L', 'Lost'],
  [6, 'goals_scored', 'GS', 'Goals scored'],
  [7, 'goals_allowed', 'GA', 'Goals allowed'],
  [5, 'goals_diff', 'GD', 'Goals difference'],
  [8, 'pts', 'Pts', 'Points'],
  [46, 'form', 'Form', 'Form'],
] as const;

/** Returns a league table. `liveEvent`: the current match of the first team, for a live table; null: a table that is not live. */
export function leagueTable(liveEvent: number | null = null): Fields {
  const live = liveEvent !== null;
  const rows: readonly (readonly [string, number | null, readonly (number | string)[]])[] = [
    ['Brazil', 2, [3, 2, 1, 0, 5, 1, 4, 7, 'W,W,D']],
    ['Switzerland', 1, [3, 1, 2, 0, 5, 4, 1, 5, 'D,W,D']],
    [live ? HOSTILE_NAME : 'Serbia', 3, [3, 1, 0, 2, 2, 4, -2, 3, 'L,L,W']],
    ['Costa Rica', null, [3, 0, 1, 2, 2, 5, -3, 1, 'D,L,L']],
  ];
  return {
    name: 'League standings',
    type_name: live ? 'League standings live' : 'League standings',
    groups: ['Group E', 'Group F'].map((name) => ({
      name,
      zones: [
        { id: 1, name: 'Next round', colour: '#002400' },
        { id: 2, name: 'Odd', colour: 'red;background:url(//elsewhere)' },
      ],
      corrections: [{ participant_name: 'Costa Rica', value: '-2', reason: 'Financial issues' }],
      participants: rows.map(([team, last_rank, values], n) => ({
        id: 50_000 + n,
        name: team,
        rank: n + 1,
        last_rank,
        zone_name: n < 2 ? 'Next round' : '',
        subparticipant_name: '',
        columns: [
          ...COLUMNS.map(([id, code, short_name, long], at) => ({
            id,
            code,
            short_name,
            name: long,
            value: values[at],
          })),
          ...(live ? playingCells(n === 0 ? liveEvent : null) : []),
        ],
      })),
    })),
  };
}

/** `event`: the match that the team is playing; null: none. */
function playingCells(event: number | null): Fields[] {
  const cell = (code: string, value: unknown): Fields => ({ id: null, code, short_name: code, value });
  const isPlaying = event !== null;
  return [
    cell('is_playing', isPlaying ? 'yes' : 'no'),
    cell('home_result', isPlaying ? 0 : ''),
    cell('away_result', isPlaying ? 2 : ''),
    cell('event_id', event ?? ''),
  ];
}

/** Returns a table of players. */
export function topScorers(): Fields {
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
