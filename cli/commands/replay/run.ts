import { z } from 'zod';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { OWN_RULES } from '#service/competition-rules.ts';
import { loadConfig, rulesSettings } from '#service/config.ts';
import { findCluster, openCluster, platformName, requireTopics } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import type { command } from './command.ts';
import { replayInto } from './replay.ts';
import { copyInto } from './target.ts';

const settings = z.object(rulesSettings);

export async function run(...[given]: GivenTo<typeof command>): Promise<number> {
  const { into, copy, from = null, to = null, gaps = null, partitions } = given;
  const { replace = false, yes = false, forSwitch = false } = given;
  if (yes && !replace) throw new UsageError('--yes goes with --replace');
  const ofReplay = [from, to, gaps, partitions ?? null].some((one) => one !== null);
  if (copy && (ofReplay || forSwitch || given.source === 'raw'))
    throw new UsageError('--copy goes with --into, --replace and --yes alone');
  if (from !== null && to !== null && from >= to) throw new UsageError('--from must be before --to');
  const topic = SOURCES[given.source];
  const options = { topic, from, to, gaps, replace, yes, forSwitch, partitions };
  const source = findCluster(process.env);
  const { RULES_DIR } = loadConfig(settings, process.env);
  const target = openCluster({ ...source, prefix: into });
  if (into === source.prefix) throw new UsageError(`${into} is the prefix of the source: name another one`);
  if (copy) {
    const count = await copyInto(source, target, options);
    printLine(`${platformName(target)}: ${count} records copied from ${platformName(source)}`);
    return 0;
  }
  await requireTopics(source, [topic]);
  const where = {
    source,
    target,
    rulesDir: RULES_DIR || OWN_RULES,
    onProgress: showProgress(process.stderr),
  };
  const { records, unreadable, seconds } = await untilStopped((signal) =>
    replayInto({ ...where, ...options, signal }),
  ).finally(() => endProgress(process.stderr));
  const rate = Math.round(records / Math.max(seconds, 0.001));
  printLine(
    `${records} records of ${topic} replayed into ${into} in ${seconds.toFixed(1)} s, ${rate} a second`,
  );
  if (unreadable === 0) return 0;
  const lost = unreadable === 1 ? 'a record' : `${unreadable} records`;
  throw new CommandError(
    `${into} lacks ${lost} of ${topic} that nobody can read, named above; everything else is replayed. ` +
      'Where their messages matter, replay normalized-messages: replay again without --source raw, with --replace --yes',
  );
}

/** Topics by the choices of --source. */
const SOURCES = { normalized: 'normalized-messages', raw: 'raw-messages' } as const;
