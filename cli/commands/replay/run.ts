import { z } from 'zod';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { OWN_RULES } from '#service/competition-rules.ts';
import { loadConfig, rulesSettings } from '#service/config.ts';
import { findCluster, openCluster, platformName, requireTopics } from '../../cluster.ts';
import { type ArgumentsOf, CommandError, UsageError } from '../../command.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import { parseNewPrefix } from '../ids.ts';
import { parseCount, parseOptionalMoment } from '../option-values.ts';
import type { command } from './command.ts';
import { copyInto } from './copy.ts';
import { replayInto } from './replay.ts';

const settings = z.object(rulesSettings);

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const { into, copy, ...options } = parse(given);
  const source = findCluster(process.env);
  const { RULES_DIR } = loadConfig(settings, process.env);
  const target = openCluster({ ...source, prefix: into });
  if (into === source.prefix) throw new UsageError(`${into} is the prefix of the source: name another one`);
  if (copy) {
    const count = await copyInto(source, target, options);
    printLine(`${platformName(target)}: ${count} records copied from ${platformName(source)}`);
    return 0;
  }
  await requireTopics(source, [options.topic]);
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
    `${records} records of ${options.topic} replayed into ${into} in ${seconds.toFixed(1)} s, ${rate} a second`,
  );
  if (unreadable === 0) return 0;
  const lost = unreadable === 1 ? 'a record' : `${unreadable} records`;
  throw new CommandError(
    `${into} lacks ${lost} of ${options.topic} that nobody can read, named above; everything else is replayed. ` +
      'Where their messages matter, replay normalized-messages: replay again without --source raw, with --replace --yes',
  );
}

function parse({ values }: ArgumentsOf<typeof command>) {
  if (values.into === undefined) throw new UsageError('name the prefix to replay into: --into <prefix>');
  const into = parseNewPrefix('--into', values.into);
  if (values.yes && !values.replace) throw new UsageError('--yes goes with --replace');
  const { copy, 'for-switch': forSwitch, source } = values;
  const ofReplay = [values.from, values.to, values.gaps, values.partitions].some((one) => one !== undefined);
  if (copy && (ofReplay || forSwitch || source === 'raw'))
    throw new UsageError('--copy goes with --into, --replace and --yes alone');
  const from = parseOptionalMoment('--from', values.from);
  const to = parseOptionalMoment('--to', values.to);
  if (from !== null && to !== null && from >= to) throw new UsageError('--from must be before --to');
  return {
    into,
    copy,
    topic: SOURCES[source as keyof typeof SOURCES],
    from,
    to,
    gaps: parseGaps(values.gaps),
    replace: values.replace,
    yes: values.yes,
    forSwitch,
    partitions: parseCount('--partitions', values.partitions),
  };
}

/** Topics by the choices of --source. */
const SOURCES = { normalized: 'normalized-messages', raw: 'raw-messages' } as const;

function parseGaps(text: string | undefined): number | null {
  if (text === undefined) return null;
  const factor = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || factor === 0) throw new UsageError('--gaps must be a number above 0');
  return factor;
}
