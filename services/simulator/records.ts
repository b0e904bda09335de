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
  /** Unix seconds. */
  readonly ut: number;
  readonly data: {
    readonly incident?: ProviderIncident;
    readonly event: ProviderEvent | { readonly id: number };
  };
};

/** An incident as the provider writes it. */
export type ProviderIncident = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly ut: number;
};
/** The event in every message. */
export type ProviderEvent = Readonly<Record<string, unknown>> &
  Omit<EventFields, 'home' | 'away'> & {
    readonly id: number;
    /** `YYYY-MM-DD HH:MM` */
    readonly start_date: string;
    readonly sport_id: number;
    readonly competition_id: number;
    readonly season_id: number;
    readonly stage_id: number;
    /** Omitted when the match has no group. */
    readonly group_id?: number;
    readonly round_id: number | null;
    readonly participants: readonly ParticipantRecord[];
  };

/** A side of an event; `counter` 1 is home, 2 away. */
type ParticipantRecord = Readonly<Record<string, unknown>> &
  EventFields['home'] & { readonly id: number; readonly counter: 1 | 2 };

const COVERAGE = 'from_tv';

/** Creates a writer of the records of a match. Throws `RangeError` when the data set lacks a team of the match. */
export function createRecorder(facts: MatchFacts, competition: Competition) {
  const { area } = competition;
  const home = teamOf(competition, facts.home);
  const away = teamOf(competition, facts.away);
  const fixed = fixedFields(facts, competition, `${home.name} - ${away.name}`);
  const participant = (team: typeof home, counter: 1 | 2, face: EventFields['home']) => ({
    id: team.id,
    counter,
    name: team.name,
    short_name: team.short,
    acronym: team.acronym,
    area_id: area.id,
    area_name: area.name,
    area_code: area.code,
    type: 'team',
    stats: face.stats,
    results: face.results,
    subparticipants: [],
  });
  return {
    event(
      { home: homeFace, away: awayFace, ...face }: EventFields,
      action: 'insert' | 'update',
    ): ProviderEvent {
      return {
        ...fixed,
        action,
        ...face,
        participants: [participant(home, 1, homeFace), participant(away, 2, awayFace)],
      };
    },
    /** Returns the record of an incident. `parentId`: the id of the incident that it refines; null when there is none. */
    incident(
      scripted: ScriptedIncident,
      { id, parentId }: { id: string; parentId: string | null },
      ut: number,
    ): ProviderIncident {
      const type = INCIDENT_TYPES_OF_SOCCER.get(scripted.type);
      const team = scripted.side && { home, away }[scripted.side];
      const yesNo = (flag: boolean | null | undefined): string => (flag ? 'yes' : 'no');
      return {
        id,
        action: scripted.action ?? 'insert',
        incident_id: scripted.type,
        incident_name: type?.name ?? '',
        participant_id: team?.id ?? null,
        participant_name: team?.name ?? null,
        subparticipant_id: scripted.person ?? null,
        subparticipant_name:
          scripted.person === undefined ? null : (competition.players[scripted.person] ?? null),
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

/** Returns the fields of an event that stay the same in all of its messages. */
function fixedFields(facts: MatchFacts, { area, competition, season, stages }: Competition, name: string) {
  const stage = stages.find(({ id }) => id === facts.stage);
  const round = stage?.rounds.find(({ id }) => id === facts.round);
  return {
    id: facts.id,
    name,
    start_date: facts.date.slice(0, 16).replace('T', ' '),
    ft_only: facts.facts === 'all' ? 'no' : 'yes',
    coverage_type: COVERAGE,
    sport_id: SOCCER,
    day: null,
    neutral_venue: facts.neutral ? 'yes' : 'no',
    item_status: 'active',
    gender: 'male',
    scoutsfeed: 'yes',
    event_stats_lvl: 'bronze',
    latency: '3-6s',
    area_id: area.id,
    competition_id: competition.id,
    season_id: season.id,
    stage_id: facts.stage,
    ...(facts.group === null ? {} : { group_id: facts.group }),
    tour_id: null,
    round_id: facts.round,
    round_name: round?.name ?? null,
  };
}

/** Match time as MM:SS; minutes may exceed 99. */
function clockText(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

function teamOf(competition: Competition, id: number): Competition['teams'][number] {
  const team = competition.teams.find((candidate) => candidate.id === id);
  if (team === undefined) throw new RangeError(`the data set has no team ${id}`);
  return team;
}
