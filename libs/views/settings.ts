import { ids } from '#service/config.ts';

/** Settings of every process that answers from views. */
export const viewSettings = {
  SERVE_COMPETITIONS: ids(0)
    .prefault('')
    .describe(
      'Competitions that it serves, ids with commas between; the matches and tables of others are not kept. Empty: all.',
    ),
};
