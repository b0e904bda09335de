import type { AppliedMessage } from '#domain/match.ts';
import type { NormalizedMessage } from '#records/types.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { RecordCollector } from '#streams/runtime/processor.ts';
import { restoreInto } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type NameTopic, TOPICS } from '#topics/topics.ts';
import { compose } from './compose.ts';

/** The topics that the stage writes. */
export const WEBHOOK_TOPICS = ['webhook-messages', 'webhook-times'] as const;

type WebhookStageOptions = {
  readonly codecs: CodecsOf<(typeof WEBHOOK_TOPICS)[number]>;
  readonly topicName: NameTopic;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const RETENTION_MS = TOPICS['webhook-messages'].retentionMs;

/** Maximum bytes of messages of a list with its event's fields; above it only the first has them: no product of incidents and event. */
const MAX_REPEATED_BYTES = 2 * 1024 * 1024;

/** Composes the webhook messages of the transitions of one partition, for the transaction of these transitions. */
export class WebhookStage {
  readonly #codecs: WebhookStageOptions['codecs'];
  readonly #messagesTopic: string;
  readonly #timesTopic: string;
  readonly #now: () => number;
  /** The `sentUt` of each incident (see `compose`), by key. */
  readonly #sentUts = new Map<string, number>();

  constructor({ codecs, topicName, now }: WebhookStageOptions) {
    this.#codecs = codecs;
    this.#messagesTopic = topicName('webhook-messages');
    this.#timesTopic = topicName('webhook-times');
    this.#now = now;
  }

  restore(records: readonly ConsumedRecord[]): Promise<void> {
    return restoreInto(this.#sentUts, this.#codecs['webhook-times'], records, ({ ut }) => ut);
  }

  add(
    { transitions, inPlay: in_play }: Pick<AppliedMessage, 'transitions' | 'inPlay'>,
    cause: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    // After a rebuild the input has a year of expired messages.
    if (cause.received_at < this.#now() - RETENTION_MS) return;
    let left = cause;
    for (const transition of transitions) {
      const { event_id, incident_id, n, incident_presence } = transition;
      // The messages of a version's first transition cover its changes that are not of an incident.
      if (n > 0 && incident_presence === null) continue;
      const key = `${event_id}/${incident_id}`;
      const composed = compose(transition, left, this.#sentUts.get(key) ?? null);
      for (const message of composed.messages) {
        collector.add(
          this.#messagesTopic,
          String(event_id),
          this.#codecs['webhook-messages'].encode({ ...message, in_play }),
        );
        if (message.message.length * transitions.length > MAX_REPEATED_BYTES)
          left = { ...cause, event: null };
      }
      if (composed.sentUt !== undefined && incident_id !== null)
        this.#setSentUt(key, { event_id, id: incident_id, ut: composed.sentUt }, collector);
    }
  }

  #setSentUt(
    key: string,
    { ut, ...of }: { readonly event_id: number; readonly id: string; readonly ut: number | null },
    collector: RecordCollector,
  ): void {
    if (ut === null) {
      if (this.#sentUts.delete(key)) collector.add(this.#timesTopic, key, null);
      return;
    }
    this.#sentUts.set(key, ut);
    collector.add(this.#timesTopic, key, this.#codecs['webhook-times'].encode({ ...of, ut }));
  }
}
