/** Standings: their catalogue and a table (spec, "Standings catalogue", "Standing"). */
import { z } from 'zod';
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
  name: text,
  participant_type: maybe(text),
  participant_acronym: text.optional(),
  participant_slug: text.optional(),
  area_id: natural.optional(),
  area_name: text.optional(),
  rank: int,
  last_rank: int.optional(),
  zone_name: maybe(text),
  /** The club of a person; '' if there is none. */
  subparticipant_id: z.union([natural, empty]).optional(),
  subparticipant_name: text.optional(),
  subparticipant_slug: text.optional(),
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
  competition_id: natural.optional(),
  season_id: natural.optional(),
  stage_id: natural.optional(),
  columns: z.array(z.unknown()),
  groups: z.array(standingsGroup),
});

export const standingsRecords = { standingsEntry, standings };
