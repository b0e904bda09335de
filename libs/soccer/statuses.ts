/** The statuses of all sports, from the specification, else from the provider's published catalogue of 2019. Polling adds later ones. */
import { STATUSES_OF_SOCCER } from './soccer.ts';
import byType from './statuses.json' with { type: 'json' };

/** id, name and short name. */
type Row = readonly [number, string, string];

/** Every known status by id. The sport of a status is unknown. */
export const STATUSES: typeof STATUSES_OF_SOCCER = new Map(
  [
    ...STATUSES_OF_SOCCER.values(),
    ...(Object.entries(byType) as unknown as [keyof typeof byType, Row[]][]).flatMap(([type, rows]) =>
      rows.map(([id, name, shortName]) => ({ id, name, shortName, type })),
    ),
  ]
    .sort((a, b) => a.id - b.id)
    .map((status) => [status.id, status]),
);
