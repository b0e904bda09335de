/** Catalogues: sports, areas, languages, statuses, incident types, standings types (spec, "Resources and their fields"). */
import { z } from 'zod';
import { digits, int, type Mode, maybe, modeFields, natural, text, yesNo } from './mode.ts';

/** A column of a standings type. */
const typeColumn = z.looseObject({
  id: natural,
  name: maybe(text),
  short_name: maybe(text),
  code: text,
});

export function catalogueRecords(mode: Mode) {
  const { or, always, optional } = modeFields(mode);

  const sport = z.looseObject({
    id: natural,
    name: text,
    url: always(text),
    active: always(yesNo),
    has_timer: always(yesNo),
    template: maybe(text),
    incidents_positions: maybe(yesNo),
    ut: maybe(natural),
  });

  /** Fields: not shown; as in the fixtures. The parent is text there. */
  const area = z.looseObject({
    id: natural,
    name: text,
    area_code: optional(text),
    parent_area_id: optional(or(text, natural)),
    ut: maybe(natural),
  });

  /** Fields: not shown; as in the fixtures. */
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
    game_break: always(yesNo),
    important: always(yesNo),
    important_for_trader: always(yesNo),
    code: maybe(text),
    sport_id: maybe(natural),
    type: maybe(text),
    for: maybe(text),
    group: maybe(text),
    details: maybe(yesNo),
    ut: maybe(natural),
  });

  /** The spec calls them `type_id` and `type_name`, providers answer `id` and `name`: ours have both. */
  const standingsType = z.looseObject({
    type_id: always(natural),
    type_name: always(text),
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

  /** Response shape: not shown; as in the fixtures. */
  const sportDefinition = z.looseObject({
    ...sport.shape,
    participant_quantity: maybe(or(digits, natural)),
    statuses: z.array(status),
    results: z.array(kind),
    stats: z.looseObject({ team: maybe(z.array(kind)), person: maybe(z.array(kind)) }),
    details: z.array(kind),
    incidents: z.array(incidentType),
    standings_types: z.array(standingsType),
    venues_details: maybe(z.array(kind)),
  });

  return { sport, area, language, status, incidentType, standingsType, sportDefinition };
}
