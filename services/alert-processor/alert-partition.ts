import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, identifyByCause, restoreInto } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { alertsOf, type KnownMatch, webhookMessageOf } from './alert.ts';
import { findingsOf } from './decide.ts';
import type { AlertRule } from './rules.ts';

/** The input and output topics. */
export const ALERT_TOPICS = ['match-transitions', 'alert-guards', 'alerts', 'webhook-messages'] as const;

type AlertPartitionOptions = {
  readonly codecs: CodecsOf<(typeof ALERT_TOPICS)[number]>;
  /** Name of a topic on the broker. */
  readonly topicName: NameTopic;
  readonly rules: readonly AlertRule[];
  /** Returns a match at a version or a later one. */
  readonly matchAt: (eventId: number, version: number) => Promise<KnownMatch>;
  /** Maximum age of a message that causes alerts, milliseconds since its receipt. */
  readonly maxAgeMs: number;
  /** Returns the time, Unix milliseconds. */
  readonly now: () => number;
};

/** The only partition of the topic of alerts. */
const ALERTS_PARTITION = 0;

/** Processes one partition of match-transitions: publishes the alerts of its matches. */
export class AlertPartition implements PartitionProcessor {
  readonly #options: AlertPartitionOptions;
  /** Reasons of the closed guards, by event id. */
  readonly #closed = new Map<string, readonly string[]>();

  constructor(options: AlertPartitionOptions) {
    this.#options = options;
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    return restoreInto(this.#closed, this.#options.codecs['alert-guards'], records, ({ reasons }) => reasons);
  }

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['match-transitions'], records);
  }

  async process(record: ConsumedRecord, collector: RecordCollector): Promise<void> {
    const { codecs, rules, topicName, matchAt, maxAgeMs, now } = this.#options;
    const transition = decodeInput(codecs['match-transitions'], record.value);
    const { id, event_id: eventId, version, cause, guard } = transition;
    const key = String(eventId);
    const isRecent = cause.received_at >= now() - maxAgeMs;
    const findings = isRecent ? findingsOf(transition, this.#closed.get(key) ?? []) : [];
    const wanted = findings.filter(({ kind }) => rules.some(({ on }) => on.includes(kind)));
    const match = wanted.length === 0 ? null : await matchAt(eventId, version);
    if (transition.kind === 'guard_changed' && guard !== null)
      this.#setClosed(key, guard.safe ? [] : guard.reasons, collector);
    const alerts = wanted.flatMap((finding, nth) => {
      // Of several goals of one change, the first has the id that a single goal would have.
      const subject = nth > 0 && finding.kind === wanted[0]?.kind ? `${id}/${finding.incident_id}` : id;
      const source = { event_id: eventId, subject, version, ut: cause.ut, received_at: cause.received_at };
      return alertsOf(rules, finding, source, match);
    });
    for (const alert of alerts) {
      collector.add(topicName('alerts'), key, codecs.alerts.encode(alert), ALERTS_PARTITION);
      const message = codecs['webhook-messages'].encode(webhookMessageOf(alert));
      collector.add(topicName('webhook-messages'), key, message);
    }
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identifyByCause(this.#options.codecs['match-transitions'], value);
  }

  /** Number of matches whose guard is closed. */
  size(): number {
    return this.#closed.size;
  }

  close(): void {
    this.#closed.clear();
  }

  #setClosed(key: string, reasons: readonly string[], collector: RecordCollector): void {
    const { codecs, topicName } = this.#options;
    const topic = topicName('alert-guards');
    if (reasons.length > 0) {
      this.#closed.set(key, reasons);
      const guard = { event_id: Number(key), reasons: [...reasons] };
      collector.add(topic, key, codecs['alert-guards'].encode(guard));
    } else if (this.#closed.delete(key)) collector.add(topic, key, null);
  }
}
