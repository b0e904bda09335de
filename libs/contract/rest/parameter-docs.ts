/** The meaning of each parameter of the contract, and its default. */

/** By name, or by operation and name where an operation has its own meaning. */
const MEANINGS: Readonly<Record<string, string>> = {
  client_id: 'The id of your client, as `touchline clients add` printed it.',
  secret_key: 'The secret of your client.',
  limit: 'Items of a page. Any other number is refused with 400.',
  page: 'The page, from 1. A page after the last one is empty.',
  timestamp:
    'Unix seconds: only what changed then or later. Send the `api.timestamp` of your previous answer; the records of that ' +
    'second are sent again, so update by `id`. Without it: everything.',
  sport_id: 'Only this sport; 5 is soccer. Without it: all sports.',
  area_id: 'Only competitions of this area. Without it: all areas.',
  competition_id: 'Only this competition. Without it: all that your contract covers.',
  season_id: 'Only this season. Without it: all seasons.',
  stage_id: 'Only this stage. Without it: all stages.',
  participant_id: 'Only events of this team. Without it: all teams.',
  venue_type: 'With `participant_id`: only its events at home or away. Without it: both.',
  status_type: 'Only events whose status is of this type. Without it: all types.',
  date_from:
    'First day, or second, of the start of events, UTC. Without both dates: today. With one of them: the day of that one. ' +
    'At most 31 days.',
  date_to: 'Last day, or second, of the start of events, UTC; inclusive. Without it: the day of `date_from`.',
  'events.index date_from':
    'First day, or second, of the start of events, UTC. Without both dates: today; all days where a competition, season, ' +
    'stage or participant is named. At most 31 days, any number where one of these is named.',
  'events.index date_to':
    'Last day, or second, of the start of events, UTC; inclusive. Without it: the day of `date_from`; no end where a ' +
    'competition, season, stage or participant is named.',
  object_type:
    'What the tables rank. Always together with `object_id`. A season lists the tables of its stages too.',
  object_id: 'The id of the season, stage or other object. Always together with `object_type`.',
  events_details: '`no` leaves details and statistics out.',
  show_postponed: '`yes` lists postponed events too.',
  deleted: '`yes`: only removed incidents; `no`: only the others. Without it: as `no`.',
  confirmation: 'Only incidents in this state. Without it: all states.',
  updated: '`yes`: only incidents that were sent more than once; `no`: only the others. Without it: both.',
  'events.incidents participant_id': 'Only incidents of this team. Without it: both teams.',
  sort_type: '`id`: by id, compared as text; `occurred_at`: by time of delivery.',
  sort_order: '`asc` is ascending, `desc` descending.',
  'basic-livescore.index timestamp':
    'Unix seconds, required: only events that changed then or later. Send the `api.timestamp` of your previous answer.',
  'feed.index timestamp':
    'First second of the window. Without it: 24 hours before `timestamp_to`. At most 31 days before it.',
  timestamp_to: 'Last second of the window, inclusive. Without it: now.',
  type: 'Only messages of this type. Without it: both.',
  event_ids: 'Only messages of these events: up to 500 ids, separated by commas. Without it: all events.',
  important: '`yes`: only messages with an important incident; `no`: only others. Without it: both.',
  important_for_trader:
    '`yes`: only messages with an incident that traders need; `no`: only others. Without it: both.',
};

/** The name that an operation's parameters are described under, where it shares them with another one. */
const SHARED: Readonly<Record<string, string>> = { 'events-simple.index': 'events.index' };

/** The meaning of a parameter of an operation; undefined without one, which a test rejects. */
export function parameterMeaning(operation: string, name: string): string | undefined {
  return MEANINGS[`${SHARED[operation] ?? operation} ${name}`] ?? MEANINGS[name];
}
