import type { StandingCard } from '#records/types.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, identifyByCause, restoreInto } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import { versionWentBack } from '#topics/went-back.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { wentBack } from '#tradability/trading.ts';
import { type OwnPartition, requireOwnPartition } from '../own-partition.ts';
import { alertsOf, type KnownMatch, webhookMessageOf } from './alert.ts';
import {
  concernsRedCards,
  findingsOf,
  redCardFindings,
  scoreSoFar,
  standingRedCards,
  type VersionSoFar,
} from './decide.ts';
import type { AlertKind, AlertRule } from './rules.ts';

/** The input and output topics. */
export const ALERT_TOPICS = ['match-transitions', 'alert-guards', 'alerts', 'webhook-messages'] as const;

type AlertPartitionOptions = OwnPartition & {
  readonly codecs: CodecsOf<(typeof ALERT_TOPICS)[number]>;
  /** Name of a topic on the broker. */
  readonly topicName: NameTopic;
  readonly rules: readonly AlertRule[];
  /** Returns the last known state of a match; null where none was read yet. */
  readonly latest: (eventId: number) => KnownMatch;
  /** Returns a match at a version or a later one. */
  readonly matchAt: (eventId: number, version: number) => Promise<KnownMatch>;
  /** Returns the earliest receipt of a message that causes alerts, Unix milliseconds. */
  readonly since: () => number;
  /** Called after each commit with the receipt of the message behind each published alert, Unix milliseconds. */
  readonly onPublished: (receivedAt: readonly number[]) => void;
};

/** What was last read of a match: the reasons of its closed guard, and its standing red cards. */
type Read = {
  readonly reasons: readonly string[];
  readonly red_cards: readonly StandingCard[];
};

const NOTHING: Read = { reasons: [], red_cards: [] };
const CARD_KINDS = ['red_card', 'red_card_cancelled'] as const;

/** The only partition of the topic of alerts. */
const ALERTS_PARTITION = 0;

/** Processes one partition of match-transitions: publishes the alerts of its matches. */
export class AlertPartition implements PartitionProcessor {
  readonly #options: AlertPartitionOptions;
  /** The closed guard and the standing red cards of matches that have any, by event id. */
  readonly #read = new Map<string, Read>();

  /** What the version `of` (`<event id>:<version>`) did to the score so far: the transitions of a version follow each other. */
  #version: VersionSoFar & { readonly of: string } = { of: '', isExplained: false };

  /** Receipts of the messages behind the alerts of the next commit, Unix milliseconds. */
  #receivedAt: number[] = [];

  constructor(options: AlertPartitionOptions) {
    this.#options = options;
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    return restoreInto(this.#read, this.#options.codecs['alert-guards'], records, (read) => read);
  }

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['match-transitions'], records);
  }

  async process(record: ConsumedRecord, collector: RecordCollector): Promise<void> {
    const { codecs, rules, topicName, latest, matchAt, since } = this.#options;
    const transition = decodeInput(codecs['match-transitions'], record.value);
    const { id, event_id: eventId, version, cause, guard } = transition;
    const key = String(eventId);
    requireOwnPartition(key, this.#options);
    const known = latest(eventId);
    if (known !== null && wentBack(known, transition))
      throw versionWentBack('match-transitions', known.version, transition);
    const isWanted = (kind: AlertKind): boolean => rules.some(({ on }) => on.includes(kind));
    const read = this.#read.get(key) ?? NOTHING;
    const isOfCards = CARD_KINDS.some(isWanted) && concernsRedCards(transition, read.red_cards);
    const ofVersion = `${eventId}:${version}`;
    const so = this.#version.of === ofVersion ? this.#version : { isExplained: false };
    const ofTransition = findingsOf(transition, read.reasons, so).filter(({ kind }) => isWanted(kind));
    this.#version = { ...scoreSoFar(transition, so), of: ofVersion };
    const isRecent = cause.received_at >= since();
    const match = isOfCards || (isRecent && ofTransition.length > 0) ? await matchAt(eventId, version) : null;
    const red_cards = isOfCards && match !== null ? standingRedCards(match) : read.red_cards;
    const ofCards = redCardFindings(read.red_cards, red_cards);
    const reasons =
      transition.kind === 'guard_changed' && guard !== null
        ? guard.safe
          ? []
          : guard.reasons
        : read.reasons;
    if (reasons !== read.reasons || ofCards.length > 0)
      this.#remember(key, { reasons, red_cards }, collector);
    const wanted = isRecent ? [...ofTransition, ...ofCards.filter(({ kind }) => isWanted(kind))] : [];
    const alerts = wanted.flatMap((finding, nth) => {
      // Of several goals or cards of one change, the first has the id that a single goal would have.
      const subject = nth > 0 && finding.kind === wanted[0]?.kind ? `${id}/${finding.incident_id}` : id;
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

  /** Number of matches with a closed guard or a standing red card. */
  size(): number {
    return this.#read.size;
  }

  close(): void {
    this.#read.clear();
  }

  #remember(key: string, read: Read, collector: RecordCollector): void {
    const { codecs, topicName } = this.#options;
    const topic = topicName('alert-guards');
    if (read.reasons.length > 0 || read.red_cards.length > 0) {
      this.#read.set(key, read);
      const value = { event_id: Number(key), reasons: [...read.reasons], red_cards: [...read.red_cards] };
      collector.add(topic, key, codecs['alert-guards'].encode(value));
    } else if (this.#read.delete(key)) collector.add(topic, key, null);
  }
}
