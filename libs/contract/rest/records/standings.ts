/** Standings: their catalogue and a table (spec, "Standings catalogue", "Standing"). */
import { z } from 'zod';
import { each } from '#json/records.ts';
import { empty, int, maybe, natural, text, yesNo } from './envelope.ts';

const zone = z.looseObject({ id: maybe(z.union([natural, text])), name: maybe(text), colour: maybe(text) });

const correction = z.looseObject({
  participant_id: maybe(natural),
  participant_name: maybe(text),
  /** Such as "+2". */
  value: maybe(z.union([text, z.number()])),
  reason: maybe(text),
});

const column = z.looseObject({
  id: natural,
  code: text,
  short_name: maybe(text),
  name: text.optional(),
  value: z.union([z.number(), text]),
});

const catalogueFields = {
  ...each(natural, 'id', 'type_id', 'object_id'),
  ...each(text, 'name', 'type_name', 'object_type'),
  ...each(maybe(text), 'subtype', 'object_name', 'item_status', 'sport_name'),
  ...each(maybe(natural), 'sport_id', 'stage_name_id', 'ut'),
  reset_group_rank: maybe(yesNo),
};
const standingsEntry = z.looseObject(catalogueFields);

const row = z.looseObject({
  id: natural,
  name: text,
  ...each(maybe(text), 'participant_type', 'zone_name'),
  ...each(text.optional(), 'participant_acronym', 'participant_slug', 'area_name'),
  area_id: natural.optional(),
  rank: int,
  last_rank: int.optional(),
  /** The club of a person; '' if there is none. */
  subparticipant_id: z.union([natural, empty]).optional(),
  ...each(text.optional(), 'subparticipant_name', 'subparticipant_slug'),
  columns: z.array(column),
});

/** Our addition: the provider's own table of the group's teams. Its corrections are not in the points of this one. */
const providerTable = z.object({
  corrections: z.array(correction),
  /** Where it differs; `ours` and `theirs` are matches, points or ranks, null where the team has no row. */
  differences: z.array(
    z.object({
      participant_id: natural,
      name: text,
      kind: z.enum(['matches', 'points', 'rank', 'team']),
      ours: int.nullable(),
      theirs: int.nullable(),
    }),
  ),
});

const standingsGroup = z.looseObject({
  id: text,
  name: text,
  ut: natural.optional(),
  participants: z.array(row),
  zones: maybe(z.array(zone)),
  corrections: maybe(z.array(correction)),
  provider: providerTable.optional(),
});

const standings = z.looseObject({
  ...catalogueFields,
  ...each(natural.optional(), 'competition_id', 'season_id', 'stage_id'),
  columns: z.array(z.unknown()),
  groups: z.array(standingsGroup),
});

export const standingsRecords = { standingsEntry, standings };
