import type { CompetitionRules } from '#contract/competition-rules.ts';
import type { Game } from './games.ts';
import { rankBy } from './ranking.ts';
import { lastRanks, type Season, type Stand } from './standing.ts';
import type { Person, Row, Team, Value } from './types.ts';

/** What a person did in some games, as figures that rank in their order, and for which team last. */
type Deeds<T extends string> = { person: Person; club: Team; readonly counts: Record<T, number> };

/** One thing a person did. */
type Deed<T extends string> = { readonly person: Person; readonly teamId: number; readonly what: T };

/** Goals by who scored them. Own goals are nobody's, and so are goals whose scorer is not known. */
export function scorerRows(season: Season): Row[] {
  const deeds = (game: Game) =>
    (game.goals ?? []).flatMap(({ kind, player, team_id }): Deed<'goals'>[] =>
      kind === 'own_goal' || player === null ? [] : [{ person: player, teamId: team_id, what: 'goals' }],
    );
  return personRows(
    season,
    (games) => count(games, deeds, { goals: 0 }),
    ({ goals }) => [goals],
    ({ goals }) => [['goals_scored', goals]],
  );
}

/** Goals by who prepared them. */
export function assistRows(season: Season): Row[] {
  const deeds = (game: Game) =>
    (game.goals ?? []).flatMap(({ kind, assistant, team_id }): Deed<'assists'>[] =>
      kind === 'own_goal' || assistant === null
        ? []
        : [{ person: assistant, teamId: team_id, what: 'assists' }],
    );
  return personRows(
    season,
    (games) => count(games, deeds, { assists: 0 }),
    ({ assists }) => [assists],
    ({ assists }) => [['assists', assists]],
  );
}

/** Cards by who was shown them; by points where the rules say what a card is worth, else by cards, red ones first. */
export function cardRows(season: Season): Row[] {
  const deeds = (game: Game) =>
    (game.cards ?? []).flatMap(({ kind, player, team_id }): Deed<'yellow' | 'red'>[] =>
      player === null ? [] : [{ person: player, teamId: team_id, what: kind }],
    );
  const worth = season.rules.card_points;
  return personRows(
    season,
    (games) => count(games, deeds, { yellow: 0, red: 0 }),
    ({ yellow, red }) =>
      worth === null ? [yellow + red, red] : [pointsOf(worth, yellow, red), yellow + red, red],
    ({ yellow, red }) => [
      ['yellow_cards', yellow],
      ['red_cards', red],
      ['cards', yellow + red],
      ...(worth === null ? [] : ([['pts', pointsOf(worth, yellow, red)]] as const)),
    ],
  );
}

function pointsOf(worth: NonNullable<CompetitionRules['card_points']>, yellow: number, red: number): number {
  return worth.yellow * yellow + worth.red * red;
}

function count<T extends string>(
  games: readonly Game[],
  deedsOf: (game: Game) => readonly Deed<T>[],
  none: Readonly<Record<T, number>>,
): Map<number, Deeds<T>> {
  const records = new Map<number, Deeds<T>>();
  for (const game of games) {
    for (const { person, teamId, what } of deedsOf(game)) {
      const club = teamId === game.home.id ? game.home : game.away;
      const record = records.get(person.id) ?? { person, club, counts: { ...none } };
      records.set(person.id, record);
      record.counts[what] += 1;
      record.club = club;
      if (person.name !== null) record.person = person;
    }
  }
  return records;
}

function personRows<T extends string>(
  season: Season,
  countIn: (games: readonly Game[]) => Map<number, Deeds<T>>,
  figuresOf: (counts: Readonly<Record<T, number>>) => readonly number[],
  valuesOf: (counts: Readonly<Record<T, number>>) => readonly (readonly [string, Value])[],
): Row[] {
  const records = countIn(season.now.games);
  const rank = (of: ReadonlyMap<number, Deeds<T>>) => {
    const figures = new Map(Array.from(of, ([id, { counts }]) => [id, figuresOf(counts)]));
    return rankBy(of.keys(), (a, b) => compareFigures(figures.get(a) ?? [], figures.get(b) ?? []));
  };
  const last = lastRanks(season, ({ games }: Stand) => rank(countIn(games)));
  return Array.from(rank(records)).flatMap(([id, position]): Row[] => {
    const record = records.get(id);
    if (record === undefined) return [];
    const { person, club, counts } = record;
    return [
      {
        id,
        name: person.name,
        club: { id: club.id, name: season.teams.get(club.id)?.name ?? null },
        rank: position,
        last_rank: last(id, club.id),
        values: new Map(valuesOf(counts)),
      },
    ];
  });
}

/** The larger first. */
function compareFigures(a: readonly number[], b: readonly number[]): number {
  for (const [at, figure] of a.entries()) {
    const order = (b[at] ?? 0) - figure;
    if (order !== 0) return order;
  }
  return 0;
}
