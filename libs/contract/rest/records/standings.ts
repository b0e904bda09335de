/** Standings: their catalogue and a table (spec, "Standings catalogue", "Standing"). */
import { z } from 'zod';
import { empty, int, type Mode, maybe, modeFields, natural, text, yesNo } from './mode.ts';

const column = z.looseObject({
  id: natural,
  code: text,
  short_name: maybe(text),
  name: maybe(text),
  value: z.union([z.number(), text, z.null()]),
});

const zone = z.looseObject({ id: maybe(z.union([natural, text])), name: maybe(text), colour: maybe(text) });

const correction = z.looseObject({
  participant_id: maybe(natural),
  participant_name: maybe(text),
  /** Such as "+2". */
  value: maybe(z.union([text, z.number()])),
  reason: maybe(text),
});

export function standingsRecords(mode: Mode) {
  const { or, always } = modeFields(mode);

  const catalogueFields = {
    id: natural,
    name: text,
    type_id: natural,
    type_name: text,
    subtype: maybe(text),
    object_type: text,
    object_id: natural,
    object_name: maybe(text),
    item_status: maybe(text),
    sport_id: maybe(natural),
    sport_name: maybe(text),
    stage_name_id: maybe(natural),
    reset_group_rank: maybe(yesNo),
    ut: maybe(natural),
  };
  const standingsEntry = z.looseObject(catalogueFields);

  const row = z.looseObject({
    id: natural,
    name: text.nullable(),
    participant_type: maybe(text),
    participant_acronym: maybe(text),
    participant_slug: maybe(text),
    area_id: maybe(natural),
    area_name: maybe(text),
    rank: int,
    last_rank: maybe(int),
    zone_name: maybe(text),
    subparticipant_id: maybe(or(natural, empty)),
    subparticipant_name: maybe(text),
    columns: z.array(column),
  });

  const standingsGroup = z.looseObject({
    id: or(text, natural),
    name: text,
    ut: maybe(natural),
    participants: z.array(row),
    zones: maybe(z.array(zone)),
    corrections: maybe(z.array(correction)),
  });

  const standings = z.looseObject({
    ...catalogueFields,
    competition_id: maybe(natural),
    season_id: maybe(natural),
    stage_id: maybe(natural),
    columns: always(z.array(z.unknown())),
    groups: z.array(standingsGroup),
  });

  return { standingsEntry, standings };
}
