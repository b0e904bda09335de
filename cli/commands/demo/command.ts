import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { settings as simulatorSettings } from '../../../services/simulator/config.ts';
import { defineCommand } from '../../command.ts';
import { platformSettings, settingsNotes } from '../../platform-settings.ts';

const { DATASET, MATCHES, SEED, DURATION, SPEED, FAULTS } = simulatorSettings.shape;
/** Default duration of the play, seconds. What is played faster than `kept` is over before feed health believes its feed. */
export const PLAY_SECONDS = { alone: 60, kept: 150 } as const;

export const config = z.object({
  ...platformSettings,
  ALERT_RULES_FILE: platformSettings.ALERT_RULES_FILE.default(
    fileURLToPath(new URL('../../../data/alert-rules.json', import.meta.url)),
  ),
  DATASET,
  MATCHES,
  SEED,
  DURATION: DURATION.describe(
    `Duration of the play, seconds. Default: ${PLAY_SECONDS.alone}, with --keep ${PLAY_SECONDS.kept}.`,
  ),
  SPEED: SPEED.prefault('20').describe('Speed at which --keep plays the league, as a multiple of real time.'),
  AFTERWARDS: z
    .enum(['england-2017-18', 'nothing'], 'must be england-2017-18 or nothing')
    .default('england-2017-18')
    .describe('The dataset that --keep plays after the tournament: a league season, or nothing.'),
  FAULTS: FAULTS.unwrap()
    .default('some')
    .describe(FAULTS.description ?? ''),
});

export const command = defineCommand('demo', {
  about: `Starts everything, plays a real tournament into it as a provider would, with injected faults, shows it live, and
compares every score and table with the official ones. Exit code 1 when one is wrong. The data is in
DATA_DIR, and the next demonstration replaces it. If DATA_DIR holds other data, the demonstration uses its subfolder demo; if
topics with the prefix already hold records on the broker, it uses a new prefix.`,
  examples: ['demo', 'demo --keep'],
  notes: settingsNotes(config),
}).option('--keep', 'keeps running until Ctrl-C, and plays a league season at SPEED');
