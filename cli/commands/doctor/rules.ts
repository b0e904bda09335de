/** Judges the facts that the checks of `touchline doctor` collected. Pure. A warning or failure always has an advice. */
import { type PartitionProgress, totalLag } from '#cluster/logs.ts';
import type { DeadLetter, WebhookProgress } from '#records/types.ts';
import { feedWords } from '#story/feed-words.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { isOfSchema } from '#topics/errors.ts';
import type { TopicRecord } from '#topics/follow.ts';
import type { UnreadableRecord } from '#topics/readable.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';
import { unreadableText } from '../../unreadable.ts';
import { lastText, type WebhookRow } from '../webhooks/lines.ts';

export type CheckName =
  | 'settings'
  | 'broker'
  | 'versions'
  | 'topics'
  | 'registry'
  | 'schemas'
  | 'lag'
  | 'positions'
  | 'records'
  | 'webhooks'
  | 'feed'
  | 'clock'
  | 'disk';

export type CheckResult = {
  readonly check: CheckName;
  /** `warning`: it works, but needs attention. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do; null when the status is `ok`. */
  readonly advice: string | null;
};

/** Returns a passed check. */
export function fine(check: CheckName, message: string): CheckResult {
  return { check, status: 'ok', message, advice: null };
}

/** Returns a check that found something that works, but needs attention. */
export function warning(check: CheckName, message: string, advice: string): CheckResult {
  return { check, status: 'warning', message, advice };
}

/** Returns a check that found something that cannot work. */
export function failed(check: CheckName, message: string, advice: string): CheckResult {
  return { check, status: 'failed', message, advice };
}

/** Commands that run processors which an installation may not use. */
const RUN_BY: Readonly<Record<string, string>> = { 'alert-processor': 'alerts --rules <file>' };

/** Pending records above which a processor is behind: some seconds of work. */
const MAX_BEHIND = 100_000;

/** Judges the lag of a processor, and whether it can continue. */
export function* judgeLag(
  processor: string,
  progress: readonly PartitionProgress[],
  members: number,
): Generator<CheckResult> {
  const listed = (is: (position: number, of: PartitionProgress) => boolean): string =>
    progress
      .filter((of) => of.position !== null && is(of.position, of))
      .map(({ partition }) => partition)
      .join(',');
  const lost = listed((position, { start }) => position < start);
  if (lost !== '')
    yield failed(
      'lag',
      `${processor}: input was removed before it was processed, in partitions ${lost}`,
      `restore the topic, or accept the loss: ON_LOST_INPUT=continue, or npx touchline position ${processor} ${lost} start`,
    );
  const beyond = listed((position, { end }) => position > end);
  if (beyond !== '')
    yield failed(
      'lag',
      `${processor}: its position is beyond the end of its input, in partitions ${beyond}`,
      `the input was made again: npx touchline position ${processor} ${beyond} start`,
    );
  const behind = totalLag(progress);
  const state = `${processor}: ${behind} records behind, ${members} ${members === 1 ? 'process' : 'processes'}`;
  const command = RUN_BY[processor];
  if (members === 0 && command !== undefined && progress.every(({ position }) => position === null))
    yield fine('lag', `${processor}: not in use`);
  else if (members === 0) yield warning('lag', state, `start it: npx touchline ${command ?? processor}`);
  else if (behind > MAX_BEHIND)
    yield warning('lag', state, 'check that it falls; start more processes, up to the number of partitions');
  else yield fine('lag', state);
}

/** Judges the records that nobody can read among the last `offsets` of each partition: one finding for each of two causes. */
export function judgeRecords(unreadable: readonly UnreadableRecord[], offsets: number): CheckResult[] {
  if (unreadable.length === 0)
    return [fine('records', `the last ${offsets} offsets of each partition can be read`)];
  const ofSchema = ({ error }: UnreadableRecord) => isOfSchema(error);
  const judge = (of: readonly UnreadableRecord[], advice: string): CheckResult[] => {
    if (of.length === 0) return [];
    const firsts = [...Map.groupBy(of, ({ topic }) => topic).values()].flatMap(([first]) => first ?? []);
    const rest = of.length - firsts.length;
    const text = `nobody can read ${firsts.map(unreadableText).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
    return [failed('records', text, advice)];
  };
  return [
    ...judge(unreadable.filter(ofSchema), REGISTRY_LOST),
    ...judge(
      unreadable.filter((one) => !ofSchema(one)),
      'find out who else writes to these topics, and take its right to Write: every reader leaves the records out',
    ),
  ];
}

/** A match whose state has an earlier version than a record that it must include. */
type LostVersion = { readonly event_id: number; readonly version: number; readonly known: number };

/** Finds matches whose state lost versions, by the records of all topics of a match. */
export class LostVersions {
  readonly #states = new Map<number, VersionStamp>();
  /** The record with the latest version of each match. */
  readonly #latest = new Map<number, VersionStamp>();

  /** Adds a record, those of a partition in their order. */
  add({ topic, value }: Pick<TopicRecord, 'topic' | 'value'>): void {
    if (value === null || !('event_id' in value && 'version' in value && 'cause' in value)) return;
    const { event_id, version, cause } = value;
    if (topic === 'match-state') this.#states.set(event_id, { version, cause });
    if (version > (this.#latest.get(event_id)?.version ?? 0)) this.#latest.set(event_id, { version, cause });
  }

  /** Returns the matches whose last state denies a record. */
  found(): LostVersion[] {
    return [...this.#states].flatMap(([event_id, state]) => {
      const latest = this.#latest.get(event_id);
      if (latest === undefined || !wentBack(latest, state)) return [];
      return [{ event_id, version: state.version, known: latest.version }];
    });
  }
}

/** Judges matches whose state lost versions: one finding, however many there are. */
export function judgeLostVersions(lost: readonly LostVersion[]): CheckResult[] {
  const [first] = lost;
  if (first === undefined) return [];
  const { event_id, version, known } = first;
  const others = lost.length === 1 ? '' : `, and ${lost.length - 1} more matches went back`;
  return [
    failed(
      'records',
      `event ${event_id} has version ${version} after version ${known}${others}: state was lost in between, or another program writes to ` +
        'the topics of matches. Readers that knew more have closed the guards (version_went_back)',
      rebuildCommand('match-processor'),
    ),
  ];
}

const DAY_MS = 86_400_000;

/** Judges the open dead letters: one finding for all that were written within a day of `now`, Unix milliseconds. */
export function judgeDeadLetters(
  letters: readonly Pick<DeadLetter, 'code' | 'reason' | 'failed_at'>[],
  now: number,
): CheckResult[] {
  const lately = letters.filter(({ failed_at }) => now - failed_at < DAY_MS);
  if (lately.length === 0) return [];
  const causes = [...Map.groupBy(lately, ({ code }) => code)].map(
    ([code, of]) => `${of.length} ${code} (the last: ${of.at(-1)?.reason})`,
  );
  return [
    warning(
      'records',
      `${lately.length} dead letters are less than a day old: ${causes.join('; ')}`,
      'npx touchline dead-letters list shows them, and docs/reference/errors.md what to do for each code',
    ),
  ];
}

/** Leaves out that schemas are not registered where the registry has lost them: that advice would give their ids to others. */
export function withOneCause(results: readonly CheckResult[]): CheckResult[] {
  const isLost = results.some(({ advice }) => advice === REGISTRY_LOST);
  return results.filter(({ check, status }) => !(isLost && check === 'schemas' && status === 'failed'));
}

const REGISTRY_LOST =
  'the registry lost schemas, or has others under their ids: restore them (docs/guides/runbooks/registry-lost.md); ' +
  'or a program with another registry writes to these topics: take its right to Write';

const SKEW_WARNING_MS = 5_000;
/** Signatures and tokens are valid for minutes. */
const SKEW_FAILED_MS = 60_000;

/**
 * Judges this machine's clock against another, which returned `theirs` (milliseconds, cut to whole seconds) between `before`
 * and `after` (Unix milliseconds).
 */
export function judgeClock(
  who: string,
  times: { before: number; theirs: number; after: number },
): CheckResult {
  const { before, theirs, after } = times;
  const skew = theirs > after ? theirs - after : Math.max(0, before - (theirs + 999));
  const text = `differs by ${Math.round(skew / 1_000)} s from that of ${who}`;
  const advice = 'synchronise the clocks (NTP): signatures, tokens and limits depend on them';
  if (skew >= SKEW_FAILED_MS) return failed('clock', text, advice);
  if (skew >= SKEW_WARNING_MS) return warning('clock', text, advice);
  return fine('clock', `as that of ${who}`);
}

/** Judges the sources of messages by feed-health. */
export function judgeFeeds(sources: readonly SourceFeedStatus[]): CheckResult[] {
  const findings = sources.flatMap((source) => (source.believed ? [] : [judgeFeed(source)]));
  if (sources.length === 0 || findings.length > 0) return findings;
  return [fine('feed', `${sources.map(({ source }) => source).join(' and ')}: alive`)];
}

function judgeFeed(feed: SourceFeedStatus): CheckResult {
  const advice =
    feed.state === 'expired'
      ? 'start the feed monitor: until then no match is safe'
      : 'no match is safe by this source alone; docs/guides/feed-health.md has the causes';
  return warning('feed', `${feed.source} is ${feedWords(feed)}`, advice);
}

const MIB = 1024 * 1024;
const WARNING_SHARE = 0.1;
const WARNING_BYTES = 1024 * MIB;
const FAILED_BYTES = 128 * MIB;

/** Judges the free space of a broker's log. */
export function judgeDisk(broker: string, freeBytes: number, totalBytes: number): CheckResult {
  const text = `log of broker ${broker}: ${Math.floor(freeBytes / MIB)} MiB free of ${Math.floor(totalBytes / MIB)}`;
  const advice = 'free space, or use a larger disk: docs/guides/runbooks/full-disk.md';
  if (freeBytes < FAILED_BYTES) return failed('disk', text, advice);
  if (freeBytes < WARNING_BYTES || freeBytes < WARNING_SHARE * totalBytes)
    return warning('disk', text, advice);
  return fine('disk', text);
}

/** What `judgeWebhooks` reads of a webhook. */
type JudgedWebhook = Pick<WebhookRow, 'id' | 'clientId' | 'active' | 'isUnopened'> & {
  readonly progress: Pick<WebhookProgress, 'disabled' | 'attempts' | 'last_outcome' | 'last_reason'> | null;
};

/** Webhooks that are described; more of them are counted. */
const DESCRIBED = 3;
const ALL_WEBHOOKS = 'npx touchline webhooks list';

/** Judges the deliveries to the webhooks of clients. A disabled client receives nothing, as its operator wants. */
export function judgeWebhooks(webhooks: readonly JudgedWebhook[]): CheckResult[] {
  const findings = webhooks.flatMap((webhook) => (webhook.active ? judgeWebhook(webhook) : []));
  const more = findings.length - DESCRIBED;
  if (more > 0)
    return [
      ...findings.slice(0, DESCRIBED),
      warning('webhooks', `${more} more are not delivered`, ALL_WEBHOOKS),
    ];
  return findings.length > 0 ? findings : [fine('webhooks', `${webhooks.length}, all delivered`)];
}

function judgeWebhook({ id, clientId, isUnopened, progress }: JudgedWebhook): CheckResult[] {
  const which = `webhook ${id} of client ${clientId}`;
  if (isUnopened)
    return [
      failed(
        'webhooks',
        `${which} is sealed with another key than those of this environment: a dispatcher with these sends it nothing`,
        'set CLIENTS_KEY_SECOND to the key that sealed it, and seal it again: docs/guides/runbooks/rotate-secrets.md',
      ),
    ];
  if (progress === null) return [];
  const { disabled, attempts } = progress;
  const last = `its last attempt ended as ${lastText(progress) ?? 'unknown'}`;
  if (disabled !== null) {
    // An operator's order is no defect.
    const judge = disabled === 'operator' ? warning : failed;
    const advice = `npx touchline webhooks enable ${id} sends what waits`;
    return [judge('webhooks', `${which} is disabled (${disabled}): ${last}`, advice)];
  }
  if (attempts === 0) return [];
  return [warning('webhooks', `${which} fails: ${last}, of ${attempts}`, ALL_WEBHOOKS)];
}
