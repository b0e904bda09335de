/** Judges records, feeds and deliveries for `touchline doctor`. Pure. */
import type { DeadLetter } from '#records/types.ts';
import { certificateFault } from '#security/tls.ts';
import { feedWords } from '#story/feed-words.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { isOfSchema } from '#topics/errors.ts';
import type { TopicRecord } from '#topics/follow.ts';
import type { UnreadableRecord } from '#topics/unreadable.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';
import { unreadableText } from '../../followed-topics.ts';
import { lastText, type WebhookRow } from '../webhooks/topics.ts';
import { type CheckResult, failed, orFine, warning } from './finding.ts';

const REGISTRY_LOST =
  'the registry lost schemas, or has others under their ids: restore them (docs/guides/runbooks/registry-lost.md); ' +
  'or a program with another registry writes to these topics: take its right to Write';
const FOREIGN_WRITER =
  'find out who else writes to these topics, and take its right to Write: every reader leaves the records out';

/** Leaves out that schemas are not registered where the registry has lost them: to register them would give their ids to others. */
export function withOneCause(results: readonly CheckResult[]): CheckResult[] {
  const isLost = results.some(({ advice }) => advice === REGISTRY_LOST);
  return results.filter(({ check, status }) => !(isLost && check === 'schemas' && status === 'failed'));
}

/** Judges the records that nobody can read among the last `offsets` of each partition: one finding for each of two causes. */
export function judgeRecords(unreadable: readonly UnreadableRecord[], offsets: number): CheckResult[] {
  const byCause = Map.groupBy(unreadable, ({ error }) => isOfSchema(error));
  const findings = [...byCause].map(([isSchemas, of]) => {
    const firsts = [...Map.groupBy(of, ({ topic }) => topic).values()].flatMap(([first]) => first ?? []);
    const rest = of.length - firsts.length;
    const text = `nobody can read ${firsts.map(unreadableText).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
    return failed('records', text, isSchemas ? REGISTRY_LOST : FOREIGN_WRITER);
  });
  return orFine(findings, 'records', `the last ${offsets} offsets of each partition can be read`);
}

/** Finds matches whose state lost versions, by the records of all topics of a match. */
export function lostVersions() {
  const states = new Map<number, VersionStamp>();
  const latest = new Map<number, VersionStamp>();
  return {
    add({ topic, value }: Pick<TopicRecord, 'topic' | 'value'>): void {
      if (value === null || !('event_id' in value && 'version' in value && 'cause' in value)) return;
      const { event_id, version, cause } = value;
      if (topic === 'match-state') states.set(event_id, { version, cause });
      if (version > (latest.get(event_id)?.version ?? 0)) latest.set(event_id, { version, cause });
    },
    /** Judges the matches whose last state denies a record: one finding, however many there are. */
    judge(): CheckResult[] {
      const lost = [...states].flatMap(([id, state]) => {
        const last = latest.get(id);
        if (last === undefined || !wentBack(last, state)) return [];
        return [`event ${id} has version ${state.version} after version ${last.version}`];
      });
      if (lost.length === 0) return [];
      const others = lost.length === 1 ? '' : `, and ${lost.length - 1} more matches went back`;
      const why =
        'state was lost in between, or another program writes to the topics of matches. ' +
        'Readers that knew more have closed the guards (version_went_back)';
      return [failed('records', `${lost[0]}${others}: ${why}`, rebuildCommand('match-processor'))];
    },
  };
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
  const text = `${lately.length} dead letters are less than a day old: ${causes.join('; ')}`;
  const advice =
    'npx touchline dead-letters list shows them, and docs/reference/errors.md what to do for each code';
  return [warning('records', text, advice)];
}

export function judgeFeeds(sources: readonly SourceFeedStatus[]): CheckResult[] {
  if (sources.length === 0) return [];
  const findings = sources.flatMap((feed) => {
    if (feed.believed) return [];
    const advice =
      feed.state === 'expired'
        ? 'start the feed monitor: until then no match is safe'
        : 'no match is safe by this source alone; docs/guides/feed-health.md has the causes';
    return [warning('feed', `${feed.source} is ${feedWords(feed)}`, advice)];
  });
  return orFine(findings, 'feed', `${sources.map(({ source }) => source).join(' and ')}: alive`);
}

type JudgedWebhook = Pick<WebhookRow, 'id' | 'clientId' | 'active' | 'isUnopened' | 'progress'>;

/** Webhooks with the same fault that are described; more of them are counted. */
const DESCRIBED = 2;

/** Judges the deliveries to the webhooks of clients. A disabled client receives nothing, as its operator wants. */
export function judgeWebhooks(webhooks: readonly JudgedWebhook[]): CheckResult[] {
  const faults = webhooks.map(faultOf).filter((fault) => fault !== null);
  const findings = [...Map.groupBy(faults, ([kind]) => kind)].flatMap(([kind, of]) => {
    const all = of.map(([, finding]) => finding);
    const [first] = all;
    if (first === undefined || all.length <= DESCRIBED) return all;
    const message = `${all.length - 1} more webhooks ${kind}`;
    return [first, { ...first, message, advice: 'npx touchline webhooks list' }];
  });
  const all = webhooks.length === 0 ? 'there are none' : `all ${webhooks.length} are delivered`;
  return orFine(findings, 'webhooks', all);
}

const RESEAL =
  'set CLIENTS_KEY_SECOND to the key that sealed it, and seal it again: docs/guides/runbooks/rotate-secrets.md';

/** Returns what is wrong with a webhook, after the words for several with the same; null where nothing is. */
function faultOf(webhook: JudgedWebhook): readonly [kind: string, finding: CheckResult] | null {
  const { id, clientId, active, isUnopened, progress } = webhook;
  if (!active) return null;
  const which = `webhook ${id} of client ${clientId}`;
  if (isUnopened) {
    const message = `${which} is sealed with another key than those of this environment: a dispatcher with these sends it nothing`;
    return ['are sealed with another key', failed('webhooks', message, RESEAL)];
  }
  if (progress === null) return null;
  const { disabled, attempts, failing_since, last_reason } = progress;
  const since = failing_since === null ? '' : ` since ${new Date(failing_since).toISOString()}`;
  const fault = certificateFault(last_reason ?? '');
  const refused = fault === undefined ? '' : `: the certificate of its receiver is refused, as ${fault}`;
  const outcome = lastText(progress) ?? 'unknown';
  const last = `ended as ${outcome}${refused}`;
  if (disabled !== null) {
    // An operator's order is no defect.
    const judge = disabled === 'operator' ? warning : failed;
    const message = `${which} is disabled (${disabled})${since}: it receives nothing; its last attempt ${last}`;
    const advice = `npx touchline webhooks enable ${id} sends what waits`;
    return [`are disabled (${disabled})`, judge('webhooks', message, advice)];
  }
  if (attempts === 0) return null;
  const message = `${which} fails${since}: ${attempts} attempts, the last ${last}`;
  const advice = 'npx touchline webhooks list shows when it is tried again';
  return [`fail (${outcome})`, warning('webhooks', message, advice)];
}
