import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { SOCCER, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import type { Competition, MatchFacts } from '../../data/dataset.ts';
import type { EventFields } from './board.ts';
import type { ScriptedIncident } from './script.ts';

/** A message of the provider's webhooks and feed (spec, "Feed message"); fields as in its published clients. */
export type ProviderMessage = {
  readonly id: number;
  readonly type: 'incident' | 'event' | 'event_keep_alive';
  readonly source: number;
  readonly ut: number;
  readonly data: {
    readonly incident?: ProviderIncident;
    readonly event: ProviderEvent | { readonly id: number };
  };
};

export type ProviderIncident = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly ut: number;
};
export type ProviderEvent = Readonly<ReturnType<ReturnType<typeof createRecorder>['event']>>;

/** The provider's way to write a flag. */
export function yesNo(flag: boolean | null | undefined): 'yes' | 'no' {
  return flag ? 'yes' : 'no';
}

/** Creates a writer of the records of a match. Throws `RangeError` when the data set lacks a team of the match. */
export function createRecorder(facts: MatchFacts, { area, teams, players, ...competition }: Competition) {
  const teamOf = (id: number): Competition['teams'][number] => {
    const found = teams.find((team) => team.id === id);
    if (found === undefined) throw new RangeError(`the data set has no team ${id}`);
    return found;
  };
  const sides = { home: teamOf(facts.home), away: teamOf(facts.away) };
  const stage = competition.stages.find(({ id }) => id === facts.stage);
  /** The fields of an event that stay the same in all of its messages. */
  const fixed = {
    id: facts.id,
    name: `${sides.home.name} - ${sides.away.name}`,
    start_date: facts.date.slice(0, 16).replace('T', ' '),
    ft_only: yesNo(facts.facts !== 'all'),
    coverage_type: 'from_tv',
    sport_id: SOCCER,
    day: null,
    neutral_venue: yesNo(facts.neutral),
    item_status: 'active',
    gender: 'male',
    scoutsfeed: 'yes',
    event_stats_lvl: 'bronze',
    latency: '3-6s',
    area_id: area.id,
    competition_id: competition.competition.id,
    season_id: competition.season.id,
    stage_id: facts.stage,
    ...(facts.group === null ? {} : { group_id: facts.group }),
    tour_id: null,
    round_id: facts.round,
    round_name: stage?.rounds.find(({ id }) => id === facts.round)?.name ?? null,
  };
  const participant = (side: 'home' | 'away', { stats, results }: EventFields['home']) => ({
    id: sides[side].id,
    counter: side === 'home' ? 1 : 2,
    name: sides[side].name,
    short_name: sides[side].short,
    acronym: sides[side].acronym,
    area_id: area.id,
    area_name: area.name,
    area_code: area.code,
    type: 'team',
    stats,
    results,
    subparticipants: [],
  });
  return {
    event: ({ home, away, ...fields }: EventFields, action: 'insert' | 'update') => ({
      ...fixed,
      action,
      ...fields,
      participants: [participant('home', home), participant('away', away)],
    }),
    /** Returns the record of an incident. `parentId`: the id of the incident that it refines; null when there is none. */
    incident(
      scripted: ScriptedIncident,
      { id, parentId }: { id: string; parentId: string | null },
      ut: number,
    ): ProviderIncident {
      const type = INCIDENT_TYPES_OF_SOCCER.get(scripted.type);
      const team = scripted.side && sides[scripted.side];
      return {
        id,
        action: scripted.action ?? 'insert',
        incident_id: scripted.type,
        incident_name: type?.name ?? '',
        participant_id: team?.id ?? null,
        participant_name: team?.name ?? null,
        subparticipant_id: scripted.person ?? null,
        subparticipant_name: players[scripted.person ?? ''] ?? null,
        event_status_id: scripted.phase,
        event_status_name: STATUSES_OF_SOCCER.get(scripted.phase)?.name ?? null,
        event_time: clockText(scripted.time),
        for: type?.for ?? (team === undefined ? 'none' : 'own'),
        confirmation: scripted.confirmation ?? null,
        attribute_ids: [],
        properties: [],
        additional_info: {},
        info: scripted.info ?? null,
        add_data: null,
        game_break: yesNo(type?.gameBreak),
        important: yesNo(type?.important),
        important_for_trader: yesNo(type?.importantForTrader),
        show_popup: yesNo(type?.important),
        show_scores: 'no',
        show_action: 'yes',
        show_time: 'yes',
        show_on_timeline: yesNo(type?.important),
        x_pos: null,
        y_pos: null,
        parent_id: parentId,
        ut,
      };
    },
  };
}

/** Match time as MM:SS; minutes may exceed 99. */
function clockText(seconds: number): string {
  return [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
