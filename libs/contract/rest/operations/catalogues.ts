/** Operations of the catalogues. */
import { z } from 'zod';
import { SOCCER } from '#soccer/soccer.ts';
import { AS_PUBLISHED, operation } from '../operation.ts';
import { catalogueParameters, idParameter, ofSport } from '../parameters.ts';
import { ANSWERS } from '../records.ts';

export const catalogueOperations = [
  operation({
    name: 'sports.index',
    path: '/v2/sports',
    summary: 'Sports.',
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ sports: z.array(ANSWERS.sport) }),
    answer: (data, values) => data.sports(values),
  }),
  operation({
    name: 'sports.show',
    path: '/v2/sports/{id}',
    summary: 'A sport with its statuses, results, statistics, details, incidents and standings types.',
    notShown: `Response shape: not shown; ${AS_PUBLISHED}.`,
    idName: 'sport_id',
    params: {},
    data: z.looseObject({ sport: ANSWERS.sportDefinition }),
    answer: (data, _values, id) => data.sport(id),
  }),
  operation({
    name: 'areas.index',
    path: '/v2/areas',
    summary: 'Areas: countries and what they belong to.',
    notShown: `Fields of an area: not shown; ${AS_PUBLISHED}.`,
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ areas: z.array(ANSWERS.area) }),
    answer: (data, values) => data.areas(values),
  }),
  operation({
    name: 'languages.index',
    path: '/v2/languages',
    summary: 'Languages.',
    notShown: `Fields of a language: not shown; ${AS_PUBLISHED}.`,
    open: true,
    params: catalogueParameters,
    data: z.looseObject({ languages: z.array(ANSWERS.language) }),
    answer: (data, values) => data.languages(values),
  }),
  operation({
    name: 'statuses.index',
    path: '/v2/statuses',
    summary: 'Statuses of events.',
    notShown: `Parameters: not shown; those of the other catalogues. Fields ${AS_PUBLISHED}.`,
    params: ofSport,
    data: z.looseObject({ statuses: z.array(ANSWERS.status) }),
    answer: (data, values) => data.statuses(values),
  }),
  operation({
    name: 'incidents.index',
    path: '/v2/incidents',
    summary: 'Types of incidents.',
    params: ofSport,
    data: z.looseObject({ incidents: z.array(ANSWERS.incidentType) }),
    answer: (data, values) => data.incidentTypes(values),
  }),
  operation({
    name: 'standings-types.index',
    path: '/v2/standings-types',
    summary: 'Types of standings with their columns.',
    params: { ...catalogueParameters, sport_id: idParameter.default(SOCCER) },
    data: z.looseObject({ standings_types: z.array(ANSWERS.standingsType) }),
    answer: (data, values) => data.standingsTypes(values),
  }),
] as const;
