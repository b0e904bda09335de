import type { CompetitionRules } from '#contract/competition-rules.ts';
import type { ResultPerson } from '#topics/generated/types.ts';
import { insertInOrder, removeInOrder, type Stand, type View, viewOf } from './game-set.ts';
import type { Game } from './games.ts';
import { rankByFigures } from './ranking.ts';
import { lastRanks, type SeasonStands } from './standing.ts';
import type { UnplacedRow, Value } from './types.ts';

/** A counted action of a person. */
type Deed<T extends string> = { readonly person: ResultPerson; readonly teamId: number; readonly what: T };

/** How often a person did each. */
type Counts<T extends string> = Record<T, number>;

/** The actions of a person in one game, and the person's name in it; null where it was not reported. */
type Appearance<T extends string> = Pick<Game, 'start' | 'eventId'> & {
  readonly name: string | null;
  readonly clubId: number;
  readonly counts: Counts<T>;
};

/** The actions of a person in all games; appearances oldest first. */
type Deeds<T extends string> = { readonly counts: Counts<T>; readonly appearances: Appearance<T>[] };

/** The actions of persons, by person id. */
type DeedsView<T extends string> = View<Map<number, Deeds<T>>>;

const GOALS = deedsView({ goals: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, player, team_id }): Deed<'goals'>[] =>
    kind === 'own_goal' || player === null ? [] : [{ person: player, teamId: team_id, what: 'goals' }],
  ),
);

const ASSISTS = deedsView({ assists: 0 }, ({ goals }) =>
  (goals ?? []).flatMap(({ kind, assistant, team_id }): Deed<'assists'>[] =>
    kind === 'own_goal' || assistant === null
      ? []
      : [{ person: assistant, teamId: team_id, what: 'assists' }],
  ),
);

const CARDS = deedsView({ yellow: 0, red: 0 }, ({ cards }) =>
  (cards ?? []).flatMap(({ kind, player, team_id }): Deed<'yellow' | 'red'>[] =>
    player === null ? [] : [{ person: player, teamId: team_id, what: kind }],
  ),
);

/** Goals by scorer. Own goals and goals of unknown scorers count for no one. */
export function scorerRows(season: SeasonStands): UnplacedRow[] {
  return personRows(
    season,
    GOALS,
    ({ goals }) => [goals],
    ({ goals }) => [['goals_scored', goals]],
  );
}

/** Goals by assistant. */
export function assistRows(season: SeasonStands): UnplacedRow[] {
  return personRows(
    season,
    ASSISTS,
    ({ assists }) => [assists],
    ({ assists }) => [['assists', assists]],
  );
}

/** Cards by player; ranked by points where the rules give cards points, else by number of cards, red ones first. */
export function cardRows(season: SeasonStands): UnplacedRow[] {
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

function deedsView<T extends string>(
  none: Readonly<Counts<T>>,
  deedsOf: (game: Game) => readonly Deed<T>[],
): DeedsView<T> {
  return {
    empty: () => new Map(),
    change(of, game, times) {
      for (const [id, appearance] of appearancesIn(game)) {
        const deeds = of.get(id) ?? { counts: { ...none }, appearances: [] };
        add(deeds.counts, appearance.counts, times);
        if (times === 1) insertInOrder(deeds.appearances, appearance);
        else removeInOrder(deeds.appearances, appearance);
        if (deeds.appearances.length === 0) of.delete(id);
        else of.set(id, deeds);
      }
    },
  };

  function appearancesIn(game: Game): Map<number, Appearance<T>> {
    const { start, eventId, home, away } = game;
    const appearances = new Map<number, Appearance<T>>();
    for (const { person, teamId, what } of deedsOf(game)) {
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

function add<T extends string>(counts: Counts<T>, other: Readonly<Counts<T>>, times: 1 | -1): void {
  for (const what in other) counts[what] += times * other[what];
}

/** The counts of persons up to a stand, without persons that have none. */
function countsAt<T extends string>(view: DeedsView<T>, { games, without }: Stand): Map<number, Counts<T>> {
  const later = viewOf(view, without);
  const counts = new Map<number, Counts<T>>();
  for (const [id, deeds] of games.view(view)) {
    const since = later.get(id);
    if (since === undefined) counts.set(id, deeds.counts);
    else if (since.appearances.length < deeds.appearances.length) {
      const before = { ...deeds.counts };
      add(before, since.counts, -1);
      counts.set(id, before);
    }
  }
  return counts;
}

function personRows<T extends string>(
  season: SeasonStands,
  view: DeedsView<T>,
  figuresOf: (counts: Readonly<Counts<T>>) => readonly number[],
  valuesOf: (counts: Readonly<Counts<T>>) => readonly (readonly [string, Value])[],
): UnplacedRow[] {
  const rank = (stand: Stand) =>
    rankByFigures(Array.from(countsAt(view, stand), ([id, counts]) => [id, figuresOf(counts)]));
  const last = lastRanks(season, rank);
  const persons = season.now.games.view(view);
  return Array.from(rank(season.now)).flatMap(([id, position]): UnplacedRow[] => {
    const deeds = persons.get(id);
    const clubId = deeds?.appearances.at(-1)?.clubId;
    if (deeds === undefined || clubId === undefined) return [];
    return [
      {
        id,
        name: deeds.appearances.findLast(({ name }) => name !== null)?.name ?? null,
        club: { id: clubId, name: season.teams.get(clubId)?.name ?? null },
        rank: position,
        last_rank: last(id, clubId),
        values: new Map(valuesOf(deeds.counts)),
      },
    ];
  });
}
