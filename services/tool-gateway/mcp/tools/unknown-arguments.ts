/** Suggests the right name for an argument that a tool does not have. */

/** Other names that callers use for an argument, where neither the name nor a part of it matches. */
const SYNONYMS: Readonly<Record<string, string>> = {
  league: 'competition_id',
  tournament: 'competition_id',
  event: 'match_id',
  event_id: 'match_id',
  fixture: 'match_id',
  id: 'match_id',
  club: 'team_id',
  participant_id: 'team_id',
  table_id: 'standings_id',
  name: 'query',
  player: 'query',
  q: 'query',
  text: 'query',
  day: 'date_from',
  from: 'date_from',
  to: 'date_to',
  until: 'date_to',
  after: 'since',
  timestamp: 'since',
  count: 'limit',
  page_size: 'limit',
};

/** Returns the one of `known` that is meant; undefined if none matches. */
function meantBy(argument: string, known: readonly string[]): string | undefined {
  const name = argument
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  const synonym = SYNONYMS[name];
  const match = [name, `${name}_id`, synonym].find((one) => one !== undefined && known.includes(one));
  return match ?? known.find((one) => one.startsWith(name) || name.startsWith(one.replace(/_id$/, '')));
}

/** Returns a message that names an unknown argument, and the right one. */
export function unknownArgument(argument: string, known: readonly string[]): string {
  const shown = argument.slice(0, 40);
  const meant = meantBy(argument, known);
  if (meant === undefined) return `${shown}: unknown argument; known are ${known.join(', ')}`;
  const found = meant === 'team_id' || meant === 'competition_id' ? ' (search finds it by name)' : '';
  return `${shown}: unknown argument; send ${meant}${found}`;
}
