import { TOPIC_NAMES, type TopicName } from '#topics/topics.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
import { didYouMean } from '../../suggest.ts';
import { parseCount, parseTime } from '../option-values.ts';
import type { command } from './command.ts';

/** Maximum value of --limit. */
const MAX_LIMIT = 999_999_999;

/** A parsed request of `touchline tail`. */
export type TailRequest = {
  readonly topics: readonly TopicName[];
  /** The start: `since` is Unix milliseconds; a negative `offset` counts back from the end. */
  readonly from: 'beginning' | 'end' | { readonly since: number } | { readonly offset: number };
  readonly untilEnd: boolean;
  readonly json: boolean;
  readonly format: string | null;
  readonly key: string | null;
  readonly partition: number | null;
  readonly limit: number;
};

/** Parses the arguments; `now` is Unix milliseconds. Throws `UsageError`. */
export function parseTail({ values, positionals }: ArgumentsOf<typeof command>, now: number): TailRequest {
  if (positionals.length === 0) throw new UsageError('name a topic, or several');
  const { json, format = null, key = null } = values;
  if (json && format !== null) throw new UsageError('--json and --format exclude each other');
  const partition = values.partition === undefined ? null : partitionOf(values.partition);
  return {
    topics: positionals.map(topicOf),
    from: startOf(values, now),
    untilEnd: values['exit-at-end'],
    json,
    format,
    key,
    partition,
    limit: parseCount('--limit', values.limit, MAX_LIMIT) ?? Number.POSITIVE_INFINITY,
  };
}

function startOf(values: ArgumentsOf<typeof command>['values'], now: number): TailRequest['from'] {
  const { since, offset, 'from-beginning': fromBeginning } = values;
  if ([since !== undefined, offset !== undefined, fromBeginning].filter(Boolean).length > 1)
    throw new UsageError('--from-beginning, --since and --offset exclude each other');
  if (since !== undefined) return { since: parseTime('--since', since, now) };
  if (offset !== undefined) {
    if (!/^-?\d{1,15}$/.test(offset))
      throw new UsageError(
        '--offset is a whole number; --offset=-10 starts at the last ten records of each partition',
      );
    if (!offset.startsWith('-') && values.partition === undefined)
      throw new UsageError('--offset goes with --partition: each partition has its own offsets');
    return { offset: Number(offset) };
  }
  return fromBeginning ? 'beginning' : 'end';
}

function topicOf(name: string): TopicName {
  const topic = TOPIC_NAMES.find((known) => known === name);
  if (topic !== undefined) return topic;
  throw new UsageError(`there is no topic ${JSON.stringify(name)}${didYouMean(name, TOPIC_NAMES)}`);
}

function partitionOf(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--partition is a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
