import type { ResultPerson } from '#records/types.ts';
import type { CompetitionRules } from './competition-rules.ts';
import type { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import { rankByFigures } from './ranking.ts';
import { lastRanks, type RankedSeason, type SeasonCutoff } from './standing.ts';
import type { RankedRow, Value } from './types.ts';

/** A counted action of a person, such as a goal. */
type PersonAction<T extends string> = {
  readonly person: ResultPerson | null;
  readonly teamId: number;
  readonly what: T;
};

/** The numbers of a person's actions by kind, the last known name, and the club of the last action. */
type PersonRecord<T extends string> = {
  readonly counts: Record<T, number>;
  name: string | null;
  clubId: number;
};

type PersonsView<T extends string> = (games: GameSet) => ReadonlyMap<number, PersonRecord<T>>;

const GOALS = personsView({ goals: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, player, team_id }) =>
    kind === 'own_goal' ? [] : [{ person: player, teamId: team_id, what: 'goals' }],
  ),
);

const ASSISTS = personsView({ assists: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, assistant, team_id }) =>
    kind === 'own_goal' ? [] : [{ person: assistant, teamId: team_id, what: 'assists' }],
  ),
);

const CARDS = personsView({ yellow: 0, red: 0 }, ({ cards }) =>
  (cards ?? []).map(({ kind, player, team_id }) => ({ person: player, teamId: team_id, what: kind })),
);

/** Returns the rows of goals by scorer. Own goals and goals of unknown scorers count for no one. */
export function scorerRows(season: RankedSeason): RankedRow[] {
  return personRows(
    season,
    GOALS,
    ({ goals }) => [goals],
    ({ goals }) => [['goals_scored', goals]],
  );
}

/** Returns the rows of goals by assistant. */
export function assistRows(season: RankedSeason): RankedRow[] {
  return personRows(
    season,
    ASSISTS,
    ({ assists }) => [assists],
    ({ assists }) => [['assists', assists]],
  );
}

/** Returns the rows of cards by player, ranked by points if the rules give cards points, else by number of cards, red first. */
export function cardRows(season: RankedSeason): RankedRow[] {
  const worth = season.rules.card_points;
  return personRows(
    season,
    CARDS,
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

/** Returns a function that counts the actions of each known person. `none`: the counts before any. */
function personsView<T extends string>(
  none: Readonly<Record<T, number>>,
  actionsOf: (game: Game) => readonly PersonAction<T>[],
): PersonsView<T> {
  return (games) => {
    const records = new Map<number, PersonRecord<T>>();
    for (const game of games) {
      for (const { person, teamId, what } of actionsOf(game)) {
        if (person === null) continue;
        const clubId = teamId === game.home.id ? teamId : game.away.id;
        const record = records.get(person.id) ?? { counts: { ...none }, name: null, clubId };
        record.counts[what] += 1;
        record.name = person.name ?? record.name;
        record.clubId = clubId;
        records.set(person.id, record);
      }
    }
    return records;
  };
}

function personRows<T extends string>(
  season: RankedSeason,
  view: PersonsView<T>,
  figuresOf: (counts: Readonly<Record<T, number>>) => readonly number[],
  valuesOf: (counts: Readonly<Record<T, number>>) => readonly (readonly [string, Value])[],
): RankedRow[] {
  const rank = ({ games }: SeasonCutoff) =>
    rankByFigures(Array.from(games.view(view), ([id, { counts }]) => [id, figuresOf(counts)]));
  const last = lastRanks(season, rank);
  const persons = season.now.games.view(view);
  return Array.from(rank(season.now), ([id, position]) => {
    const { name, clubId, counts } = persons.get(id) as PersonRecord<T>;
    return {
      id,
      name,
      club: { id: clubId, name: season.teams.get(clubId)?.name ?? null },
      rank: position,
      last_rank: last(id, clubId),
      values: new Map(valuesOf(counts)),
    };
  });
}
