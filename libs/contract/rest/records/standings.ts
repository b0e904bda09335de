/** Standings: their catalogue and a table (spec, "Standings catalogue", "Standing"). */
import { z } from 'zod';
import { empty, int, type Mode, maybe, modeFields, natural, text, yesNo } from './mode.ts';

const zone = z.looseObject({ id: maybe(z.union([natural, text])), name: maybe(text), colour: maybe(text) });

const correction = z.looseObject({
  participant_id: maybe(natural),
  participant_name: maybe(text),
  /** Such as "+2". */
  value: maybe(z.union([text, z.number()])),
  reason: maybe(text),
});

export function standingsRecords(mode: Mode) {
  const { or, always, optional } = modeFields(mode);

  const column = z.looseObject({
    id: natural,
    code: text,
    short_name: maybe(text),
    name: optional(text),
    value: or(z.union([z.number(), text]), z.null()),
  });

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
    name: or(text, z.null()),
    participant_type: maybe(text),
    participant_acronym: optional(text),
    participant_slug: optional(text),
    area_id: optional(natural),
    area_name: optional(text),
    rank: int,
    last_rank: optional(int),
    zone_name: maybe(text),
    /** The club of a person; '' where there is none. */
    subparticipant_id: optional(z.union([natural, empty])),
    subparticipant_name: optional(text),
    subparticipant_slug: optional(text),
    columns: z.array(column),
  });

  const standingsGroup = z.looseObject({
    id: or(text, natural),
    name: text,
    ut: optional(natural),
    participants: z.array(row),
    zones: maybe(z.array(zone)),
    corrections: maybe(z.array(correction)),
  });

  const standings = z.looseObject({
    ...catalogueFields,
    competition_id: optional(natural),
    season_id: optional(natural),
    stage_id: optional(natural),
    columns: always(z.array(z.unknown())),
    groups: z.array(standingsGroup),
  });

  return { standingsEntry, standings };
}
