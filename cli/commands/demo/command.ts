/** `touchline demo`, which is `npm start`: everything, with real matches played into it. */
import { z } from 'zod';
import { renderHelp } from '#service/config.ts';
import { settings as simulatorSettings } from '../../../services/simulator/config.ts';
import { defineCommand } from '../../command.ts';
import { platformSettings } from '../../platform-settings.ts';

const { DATASET, MATCHES, SEED, DURATION, SPEED, FAULTS } = simulatorSettings.shape;
export const config = z.object({
  ...platformSettings,
  DATASET,
  MATCHES,
  SEED,
  DURATION: DURATION.unwrap().prefault('60').describe('Seconds that the play takes.'),
  SPEED: SPEED.prefault('20').describe('How much faster than life --keep plays the league.'),
  AFTERWARDS: z
    .enum(['england-2017-18', 'nothing'], 'must be england-2017-18 or nothing')
    .default('england-2017-18')
    .describe('What --keep plays when the tournament is over: a league season, or nothing.'),
  FAULTS: FAULTS.unwrap()
    .default('some')
    .describe(FAULTS.description ?? ''),
});

const ABOUT = `Starts everything, plays a real tournament into it as a provider would, with faults on the way, shows it live,
and checks every final score against the official one. Exit code 1 where one is wrong or another check fails.

  --keep         goes on afterwards, until Ctrl-C: plays a league season, at SPEED, that can be watched
  --brokers <n>  plays on a cluster of so many brokers on this machine, 3 to 9, each with all topics in three copies

Its data is in DATA_DIR, and the next demonstration replaces it. If DATA_DIR holds other data, it uses the folder demo
in it; if topics of the prefix hold records on the broker already, it uses a prefix of its own.`;

export const command = defineCommand({
  help: renderHelp({ usage: 'touchline demo [--keep] [--brokers <n>]', about: ABOUT, config }),
  options: {
    keep: { type: 'boolean', default: false },
    brokers: { type: 'string', default: '1' },
  },
});
