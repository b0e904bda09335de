/** Catalogues: sports, areas, languages, statuses, incident types, standings types (spec, "Resources and their fields"). */
import { z } from 'zod';
import { each } from '#json/records.ts';
import { digits, int, maybe, natural, text, yesNo } from './envelope.ts';

const typeColumn = z.looseObject({
  id: natural,
  code: text,
  ...each(maybe(text), 'name', 'short_name'),
});

const sport = z.looseObject({
  id: natural,
  ...each(text, 'name', 'url'),
  ...each(yesNo, 'active', 'has_timer'),
  template: maybe(text),
  incidents_positions: maybe(yesNo),
  ut: maybe(natural),
});

/** The spec does not show the fields: they are those of the fixtures, where the parent is text. */
const area = z.looseObject({
  id: natural,
  name: text,
  ...each(text.optional(), 'area_code', 'parent_area_id'),
  ut: maybe(natural),
});

/** The spec does not show the fields: they are those of the fixtures. */
const language = z.looseObject({
  id: natural,
  name: text,
  ...each(maybe(text), 'code', 'original_name'),
  active: maybe(yesNo),
  ut: maybe(natural),
});

const status = z.looseObject({
  id: natural,
  name: text,
  ...each(maybe(text), 'short_name', 'type'),
  ut: maybe(natural),
});

const incidentType = z.looseObject({
  id: natural,
  name: text,
  ...each(yesNo, 'game_break', 'important', 'important_for_trader'),
  ...each(maybe(text), 'code', 'type', 'for', 'group'),
  ...each(maybe(natural), 'sport_id', 'ut'),
  details: maybe(yesNo),
});

/** The spec has `type_id` and `type_name`, providers answer `id` and `name`: our records have both. */
const standingsType = z.looseObject({
  ...each(natural, 'type_id', 'id'),
  ...each(text, 'type_name', 'name'),
  columns: z.array(typeColumn),
  ut: maybe(natural),
});

/** A kind of result, statistic or detail of a sport. */
const kind = z.looseObject({
  id: natural,
  name: text,
  ...each(maybe(text), 'short_name', 'code', 'data_type'),
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
