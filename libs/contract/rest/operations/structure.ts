/** Operations of standings, competitions and stages. */
import { z } from 'zod';
import { RestError } from '../errors.ts';
import { AS_PUBLISHED, operation } from '../operation.ts';
import { competitionsParameters, stagesParameters, standingsParameters } from '../parameters.ts';
import { ANSWERS } from '../records.ts';

export const structureOperations = [
  operation({
    name: 'standings.index',
    path: '/v2/standings',
    summary: 'The catalogue of standings.',
    notShown: 'Values of `limit`: not shown; those of the catalogues.',
    params: standingsParameters,
    settle(values) {
      if ((values.object_type === undefined) !== (values.object_id === undefined)) {
        throw new RestError('INVALID_PARAMETER');
      }
      return values;
    },
    data: z.looseObject({ standings_list: z.array(ANSWERS.standingsEntry) }),
    answer: (data, values, _id, access) => data.standingsList(values, access),
  }),
  operation({
    name: 'standings.show',
    path: '/v2/standings/{id}',
    summary: 'A table or a ranking.',
    idName: 'standing_id',
    params: {},
    data: z.looseObject({ standings: ANSWERS.standings }),
    answer: (data, _values, id, access) => data.standings(id, access),
  }),
  operation({
    name: 'competitions.index',
    path: '/v2/competitions',
    summary: 'Competitions with their seasons.',
    notShown: 'Parameters: not shown; those of the other catalogues, and `area_id`.',
    params: competitionsParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.competition) }),
    answer: (data, values, _id, access) => data.competitions(values, access),
  }),
  operation({
    name: 'stages.index',
    path: '/v2/stages',
    summary: 'Stages, in their competitions and seasons.',
    notShown: `Parameters and response shape: not shown; parameters of the catalogues and \`season_id\`, nesting ${AS_PUBLISHED}.`,
    params: stagesParameters,
    data: z.looseObject({ competitions: z.array(ANSWERS.competition) }),
    answer: (data, values, _id, access) => data.stages(values, access),
  }),
] as const;
