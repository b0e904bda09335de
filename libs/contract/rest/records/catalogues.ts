/** Catalogues: sports, areas, languages, statuses, incident types, standings types (spec, "Resources and their fields"). */
import { z } from 'zod';
import { digits, int, maybe, natural, text, yesNo } from './envelope.ts';

const typeColumn = z.looseObject({
  id: natural,
  name: maybe(text),
  short_name: maybe(text),
  code: text,
});

const sport = z.looseObject({
  id: natural,
  name: text,
  url: text,
  active: yesNo,
  has_timer: yesNo,
  template: maybe(text),
  incidents_positions: maybe(yesNo),
  ut: maybe(natural),
});

/** The spec does not show the fields: they are those of the fixtures, where the parent is text. */
const area = z.looseObject({
  id: natural,
  name: text,
  area_code: text.optional(),
  parent_area_id: text.optional(),
  ut: maybe(natural),
});

/** The spec does not show the fields: they are those of the fixtures. */
const language = z.looseObject({
  id: natural,
  name: text,
  code: maybe(text),
  original_name: maybe(text),
  active: maybe(yesNo),
  ut: maybe(natural),
});

const status = z.looseObject({
  id: natural,
  name: text,
  short_name: maybe(text),
  type: maybe(text),
  ut: maybe(natural),
});

const incidentType = z.looseObject({
  id: natural,
  name: text,
  game_break: yesNo,
  important: yesNo,
  important_for_trader: yesNo,
  code: maybe(text),
  sport_id: maybe(natural),
  type: maybe(text),
  for: maybe(text),
  group: maybe(text),
  details: maybe(yesNo),
  ut: maybe(natural),
});

/** The spec has `type_id` and `type_name`, providers answer `id` and `name`: our records have both. */
const standingsType = z.looseObject({
  type_id: natural,
  type_name: text,
  id: natural,
  name: text,
  columns: z.array(typeColumn),
  ut: maybe(natural),
});

/** A kind of result, statistic or detail of a sport. */
const kind = z.looseObject({
  id: natural,
  name: text,
  short_name: maybe(text),
  code: maybe(text),
  data_type: maybe(text),
  is_season_detail: maybe(int),
  related_statuses: maybe(z.array(natural)),
  possible_values: maybe(z.array(z.looseObject({ key: maybe(text), value: maybe(text) }))),
});

/** The spec does not show the response: it has the fields of the fixtures. */
const sportDefinition = z.looseObject({
  ...sport.shape,
  participant_quantity: maybe(digits),
  statuses: z.array(status),
  results: z.array(kind),
  stats: z.looseObject({ team: maybe(z.array(kind)), person: maybe(z.array(kind)) }),
  details: z.array(kind),
  incidents: z.array(incidentType),
  standings_types: z.array(standingsType),
  venues_details: maybe(z.array(kind)),
});

export const catalogueRecords = {
  sport,
  area,
  language,
  status,
  incidentType,
  standingsType,
  sportDefinition,
};
