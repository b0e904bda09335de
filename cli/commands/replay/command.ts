/** `touchline replay`: rebuilds everything from a log into another prefix, beside the running system. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { onStopRequest } from '#service/stop-requests.ts';
import { type Command, parseArguments, UsageError } from '../../command.ts';
import { findPlace, type Place, requireTopic } from '../../place.ts';
import { parseCount } from '../counts.ts';
import { parseMoment } from '../moments.ts';
import { type ReplayOptions, replayInto } from './replay.ts';

const OWN_RULES = fileURLToPath(new URL('../../../data/rules/', import.meta.url));

const HELP = `Usage: touchline replay --into <prefix> [options]

Rebuilds match state, incidents, transitions, results and tables under another topic prefix, beside the running system, which
it does not touch. Twice replayed gives the same bytes. Messages keep their times of receipt. Webhooks are not sent again.

  --into <prefix>      topic prefix of what is made; it must hold nothing yet
  --replace            deletes the topics of that prefix first
  --source <topic>     normalized (default): normalized-messages, in the order in which it was processed; or raw: raw-messages,
                       normalized again with the rules of now
  --from <moment>      from the first record written then, e.g. 2026-11-21T18:00:00Z; default: from the first there is
  --to <moment>        up to what was written before it; default: all that is there when it starts
  --gaps <factor>      keeps the gaps between records, so many times as long: 1 as it was, 0.1 ten times as fast;
                       default: none, at full speed
  --partitions <n>     of the topics of a match that are made; default: as many as those of the source
  --for-switch         also copies clients, their access tokens and how far the provider was polled, for a system that is
                       to go on with the new prefix

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here; TOPIC_PREFIX is
that of the source, RULES_DIR has the rules of competitions as for the standings processor. docs/guides/replay.md says how to
compare the result and to switch to it. Exit code 1 where the replay is not complete.
`;

const settings = z.object({ RULES_DIR: z.string().default('') });
const prefixSetting = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX });

/** Rebuilds everything into another prefix. */
export const replay: Command = {
  name: 'replay',
  help: HELP,
  async run(args) {
    const { into, ...options } = parse(args);
    const source = findPlace(process.env);
    const { RULES_DIR } = loadConfig(settings, process.env);
    const target: Place = { ...source, TOPIC_PREFIX: into };
    if (into === source.TOPIC_PREFIX)
      throw new UsageError(`${into} is the prefix of the source: name another one`);
    await requireTopic(source, options.topic);
    const stop = new AbortController();
    const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
    const progress = showProgress(process.stderr);
    try {
      const { records, seconds } = await replayInto({
        ...{ source, target, rulesDir: RULES_DIR || OWN_RULES, signal: stop.signal, onProgress: progress },
        ...options,
      });
      endProgress(process.stderr);
      const rate = Math.round(records / Math.max(seconds, 0.001));
      process.stdout.write(
        `${records} records of ${options.topic} replayed into ${into} in ${seconds.toFixed(1)} s, ${rate} a second\n`,
      );
      return 0;
    } finally {
      endProgress(process.stderr);
      done();
    }
  },
};

type Parsed = Pick<
  ReplayOptions,
  'topic' | 'from' | 'to' | 'gaps' | 'replace' | 'forSwitch' | 'partitions'
> & {
  readonly into: string;
};

function parse(args: readonly string[]): Parsed {
  const options = {
    into: { type: 'string' },
    replace: { type: 'boolean', default: false },
    source: { type: 'string', default: 'normalized' },
    from: { type: 'string' },
    to: { type: 'string' },
    gaps: { type: 'string' },
    'for-switch': { type: 'boolean', default: false },
    partitions: { type: 'string' },
  } as const;
  const { values } = parseArguments(args, { options });
  if (values.into === undefined) throw new UsageError('name the prefix to replay into: --into <prefix>');
  const prefix = prefixSetting.safeParse({ TOPIC_PREFIX: values.into });
  if (!prefix.success) throw new UsageError(`--into ${prefix.error.issues[0]?.message}`);
  const topic = SOURCES[values.source];
  if (topic === undefined) throw new UsageError('--source must be normalized or raw');
  const from = parseMoment('--from', values.from);
  const to = parseMoment('--to', values.to);
  if (from !== null && to !== null && from >= to) throw new UsageError('--from must be before --to');
  return {
    ...{ into: values.into, topic, from, to, gaps: parseGaps(values.gaps) },
    ...{ replace: values.replace, forSwitch: values['for-switch'] },
    partitions: parseCount('partitions', values.partitions),
  };
}

const SOURCES: Readonly<Record<string, Parsed['topic']>> = {
  normalized: 'normalized-messages',
  raw: 'raw-messages',
};

function parseGaps(text: string | undefined): number | null {
  if (text === undefined) return null;
  const factor = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || factor === 0) throw new UsageError('--gaps must be a number above 0');
  return factor;
}
