import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, identifyByCause } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import { versionWentBack } from '#topics/went-back.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { wentBack } from '#tradability/trading.ts';
import { type OwnPartition, requireOwnPartition } from '../own-partition.ts';
import { alertsOf, type KnownMatch, webhookMessageOf } from './alert.ts';
import { findingsOf, scoreSoFar, type VersionSoFar } from './decide.ts';
import type { AlertRule } from './rules.ts';

/** The input and output topics. */
export const ALERT_TOPICS = ['match-transitions', 'alerts', 'webhook-messages'] as const;

type AlertPartitionOptions = OwnPartition & {
  readonly codecs: CodecsOf<(typeof ALERT_TOPICS)[number]>;
  /** Name of a topic on the broker. */
  readonly topicName: NameTopic;
  readonly rules: readonly AlertRule[];
  /** Returns the last known state of a match; null where none was read yet. */
  readonly latest: (eventId: number) => KnownMatch | null;
  /** Returns the earliest receipt of a message that causes alerts, Unix milliseconds. */
  readonly since: () => number;
  /** Called after each commit with the receipt of the message behind each published alert, Unix milliseconds. */
  readonly onPublished: (receivedAt: readonly number[]) => void;
};

/** The only partition of the topic of alerts. */
const ALERTS_PARTITION = 0;

/** Processes one partition of match-transitions: publishes the alerts of its matches. A transition says all that its alerts need. */
export class AlertPartition implements PartitionProcessor {
  readonly #options: AlertPartitionOptions;

  /** What the version `of` (`<event id>:<version>`) did to the score so far: the transitions of a version follow each other. */
  #version: VersionSoFar & { readonly of: string } = { of: '', isExplained: false };

  /** Receipts of the messages behind the alerts of the next commit, Unix milliseconds. */
  #receivedAt: number[] = [];

  constructor(options: AlertPartitionOptions) {
    this.#options = options;
  }

  restore(): void {}

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['match-transitions'], records);
  }

  process(record: ConsumedRecord, collector: RecordCollector): void {
    const { codecs, rules, topicName, latest, since } = this.#options;
    const transition = decodeInput(codecs['match-transitions'], record.value);
    const { id, event_id: eventId, version, cause, match } = transition;
    const key = String(eventId);
    requireOwnPartition(key, this.#options);
    const known = latest(eventId);
    if (known !== null && wentBack(known, transition))
      throw versionWentBack('match-transitions', known.version, transition);
    const ofVersion = `${eventId}:${version}`;
    const so = this.#version.of === ofVersion ? this.#version : { isExplained: false };
    this.#version = { ...scoreSoFar(transition, so), of: ofVersion };
    if (cause.received_at < since()) return;
    const wanted = findingsOf(transition, so).filter(({ kind }) => rules.some(({ on }) => on.includes(kind)));
    const alerts = wanted.flatMap((finding, nth) => {
      // Of several goals of one change, the first has the id that a single goal would have.
      const subject = nth > 0 && finding.kind === wanted[0]?.kind ? `${id}/${finding.incident?.id}` : id;
      const source = { event_id: eventId, subject, version, ut: cause.ut, received_at: cause.received_at };
      return alertsOf(rules, finding, source, match);
    });
    for (const alert of alerts) {
      collector.add(topicName('alerts'), key, codecs.alerts.encode(alert), ALERTS_PARTITION);
      const message = codecs['webhook-messages'].encode(webhookMessageOf(alert));
      collector.add(topicName('webhook-messages'), key, message);
      this.#receivedAt.push(alert.received_at);
    }
  }

  committed(): void {
    this.#options.onPublished(this.#receivedAt.splice(0));
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identifyByCause(this.#options.codecs['match-transitions'], value);
  }

  size(): number {
    return 0;
  }

  close(): void {}
}
