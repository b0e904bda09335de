import type { ResultPerson } from '#records/types.ts';
import type { CompetitionRules } from './competition-rules.ts';
import { type GameView, insertInOrder, removeInOrder, type SeasonCutoff, viewOf } from './game-set.ts';
import type { Game } from './games.ts';
import { rankByFigures } from './ranking.ts';
import { lastRanks, type RankedSeason } from './standing.ts';
import type { RankedRow, Value } from './types.ts';

/** A counted action of a person, such as a goal. */
type PersonAction<T extends string> = {
  readonly person: ResultPerson;
  readonly teamId: number;
  readonly what: T;
};

/** Numbers of a person's actions by kind. */
type ActionCounts<T extends string> = Record<T, number>;

/** The actions of a person in one game. `name`: as reported in it; null if it was not. */
type Appearance<T extends string> = Pick<Game, 'start' | 'eventId'> & {
  readonly name: string | null;
  readonly clubId: number;
  readonly counts: ActionCounts<T>;
};

/** The actions of a person in all games. Appearances are in order, oldest first. */
type PersonRecord<T extends string> = {
  readonly counts: ActionCounts<T>;
  readonly appearances: Appearance<T>[];
};

type PersonsView<T extends string> = GameView<Map<number, PersonRecord<T>>>;

const GOALS = personsView({ goals: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, player, team_id }): PersonAction<'goals'>[] =>
    kind === 'own_goal' || player === null ? [] : [{ person: player, teamId: team_id, what: 'goals' }],
  ),
);

const ASSISTS = personsView({ assists: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, assistant, team_id }): PersonAction<'assists'>[] =>
    kind === 'own_goal' || assistant === null
      ? []
      : [{ person: assistant, teamId: team_id, what: 'assists' }],
  ),
);

const CARDS = personsView({ yellow: 0, red: 0 }, ({ cards }) =>
  (cards ?? []).flatMap(({ kind, player, team_id }): PersonAction<'yellow' | 'red'>[] =>
    player === null ? [] : [{ person: player, teamId: team_id, what: kind }],
  ),
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

function personsView<T extends string>(
  none: Readonly<ActionCounts<T>>,
  actionsOf: (game: Game) => readonly PersonAction<T>[],
): PersonsView<T> {
  return {
    empty: () => new Map(),
    change(value, game, times) {
      for (const [id, appearance] of appearancesIn(game)) {
        const record = value.get(id) ?? { counts: { ...none }, appearances: [] };
        add(record.counts, appearance.counts, times);
        if (times === 1) insertInOrder(record.appearances, appearance);
        else removeInOrder(record.appearances, appearance);
        if (record.appearances.length === 0) value.delete(id);
        else value.set(id, record);
      }
    },
  };

  function appearancesIn(game: Game): Map<number, Appearance<T>> {
    const { start, eventId, home, away } = game;
    const appearances = new Map<number, Appearance<T>>();
    for (const { person, teamId, what } of actionsOf(game)) {
      const known = appearances.get(person.id);
      const counts = known?.counts ?? { ...none };
      counts[what] += 1;
      const clubId = teamId === home.id ? home.id : away.id;
      appearances.set(person.id, {
        start,
        eventId,
        name: person.name ?? known?.name ?? null,
        clubId,
        counts,
      });
    }
    return appearances;
  }
}

function add<T extends string>(
  counts: ActionCounts<T>,
  other: Readonly<ActionCounts<T>>,
  times: 1 | -1,
): void {
  for (const what in other) counts[what] += times * other[what];
}

function countsAt<T extends string>(
  view: PersonsView<T>,
  { games, without }: SeasonCutoff,
): Map<number, ActionCounts<T>> {
  const later = viewOf(view, without);
  const counts = new Map<number, ActionCounts<T>>();
  for (const [id, record] of games.view(view)) {
    const since = later.get(id);
    if (since === undefined) counts.set(id, record.counts);
    else if (since.appearances.length < record.appearances.length) {
      const before = { ...record.counts };
      add(before, since.counts, -1);
      counts.set(id, before);
    }
  }
  return counts;
}

function personRows<T extends string>(
  season: RankedSeason,
  view: PersonsView<T>,
  figuresOf: (counts: Readonly<ActionCounts<T>>) => readonly number[],
  valuesOf: (counts: Readonly<ActionCounts<T>>) => readonly (readonly [string, Value])[],
): RankedRow[] {
  const rank = (cutoff: SeasonCutoff) =>
    rankByFigures(Array.from(countsAt(view, cutoff), ([id, counts]) => [id, figuresOf(counts)]));
  const last = lastRanks(season, rank);
  const persons = season.now.games.view(view);
  return Array.from(rank(season.now), ([id, position]) => {
    const { appearances, counts } = persons.get(id) as PersonRecord<T>;
    const { clubId } = appearances.at(-1) as Appearance<T>;
    return {
      id,
      name: appearances.findLast(({ name }) => name !== null)?.name ?? null,
      club: { id: clubId, name: season.teams.get(clubId)?.name ?? null },
      rank: position,
      last_rank: last(id, clubId),
      values: new Map(valuesOf(counts)),
    };
  });
}
