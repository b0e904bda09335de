/**
 * What is said of a topic that was lost or cut, and by whom: one row a topic. `lost-topics.release.test.ts` tries all of it,
 * `make-topics.test.ts` a part in every run.
 */
import { expect } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { withConnections } from '#cluster/access.ts';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { type LogMark, positionRecord } from '#streams/runtime/positions.ts';
import { ownOutputs } from '#streams/runtime/stream-topics.ts';
import { SERVICE_NAMES, type ServiceName } from '#topics/acls.ts';
import { createTopics, deleteTopics, wantedTopics } from '#topics/admin.ts';
import { PROCESSOR_NAMES, type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { requireSettings } from '#topics/required-topics.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicIdsName } from '#topics/topic-ids.ts';
import { TOPIC_NAMES, TOPICS, type TopicName, type TopicSpec, topicName } from '#topics/topics.ts';
import { VersionedTopic } from '#topics/versioned-topic.ts';
import type { CheckResult } from '../../../cli/commands/doctor/finding.ts';
import { findingLines } from '../../../cli/commands/doctor/render.ts';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { doctor } from '../../support/doctor.ts';
import { connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/poll.ts';
import { makeOnly } from '../../support/topics.ts';
import { touchlineHere } from '../../support/touchline-here.ts';

const WITHIN_MS = 60_000;
/** Lines that doctor may take for one cause. */
const MAX_LINES = 5;

/** What a topic loses. */
export type Loss = 'beginning' | 'end' | 'deleted' | 'recreated';
export const LOSSES: readonly Loss[] = ['beginning', 'end', 'deleted', 'recreated'];

/** A topic of Touchline: one of the table, the one of their ids, or one of positions. */
export type AnyTopic = TopicName | 'topic-ids' | `${ProcessorName}-positions`;

/** What doctor says of a loss; null where nothing is lost that its writer does not write again, or that retention would not remove. */
type Row = {
  /** Topics that are lost together, as the same is said of them; null for one that is lost alone. */
  readonly group: string | null;
  /** Services that do not start without its records. */
  readonly needs: readonly ServiceName[];
  readonly deleted: RegExp;
  readonly recreated: RegExp | null;
  readonly beginning: RegExp | null;
  readonly end: RegExp | null;
};

const DELETED = /^deleted: /;
const RECREATED = /^deleted and created again, without its records: /;
const NO_BEGINNING = /^without its first records, which retention or an operator deleted: /;
export const NO_END = /^without its last records, which a broker lost: /;
const MISSING = / is missing, and \S+ had processed or written records of it: they are lost$/;
const refuses = (code: string) => new RegExp(`refuses partitions 0[, \\d]* \\(${code}\\)`);
const INPUT_LOST = /input was removed before it was processed/;
const BEYOND_END = /its position is beyond the end of its input/;

/** A log whose oldest records expire anyway. */
const log = (...needs: ServiceName[]): Row => ({
  group: 'logs',
  needs,
  deleted: DELETED,
  recreated: RECREATED,
  beginning: null,
  end: null,
});
/** A compacted topic that its writers fill again. */
const renewed = (...needs: ServiceName[]): Row => ({
  ...log(...needs),
  group: 'topics that are filled again',
  beginning: NO_BEGINNING,
});
/** A compacted topic that people edit. */
const edited = (...needs: ServiceName[]): Row => ({
  ...renewed(...needs),
  group: 'edited topics',
  end: NO_END,
});
/** The input of a processor. */
const input = (...needs: ServiceName[]): Row => ({
  ...log(...needs),
  group: null,
  beginning: INPUT_LOST,
  end: BEYOND_END,
});
const CHANGELOG: Row = {
  group: null,
  needs: [],
  deleted: MISSING,
  recreated: refuses('CHANGELOG_RECREATED'),
  beginning: refuses('CHANGELOG_TRUNCATED'),
  end: refuses('CHANGELOG_TRUNCATED'),
};
const POSITIONS: Row = {
  group: null,
  needs: [],
  deleted: MISSING,
  recreated: refuses('POSITION_MISSING'),
  beginning: refuses('POSITION_MISSING'),
  end: refuses('POSITION_(MISSING|TRUNCATED)'),
};
const IDS = /topic-ids has lost records and does not name /;

/** A new topic without a row does not compile. */
export const ROWS: Readonly<Record<AnyTopic, Row>> = {
  'raw-messages': log(),
  'normalized-messages': input('feed-monitor', 'api'),
  'match-incidents': CHANGELOG,
  'match-state': CHANGELOG,
  'match-transitions': input('api', 'tool-gateway'),
  'match-results': { ...input(), beginning: NO_BEGINNING },
  catalogue: renewed('api', 'tool-gateway'),
  'standings-results': CHANGELOG,
  standings: CHANGELOG,
  'provider-standings': renewed('api', 'tool-gateway'),
  clients: edited('api', 'tool-gateway', 'webhook-dispatcher'),
  'access-tokens': edited('tool-gateway'),
  'trading-halts': edited('api', 'tool-gateway', 'alert-processor'),
  'operator-orders': log(),
  'webhook-messages': log('webhook-dispatcher'),
  'webhook-times': CHANGELOG,
  alerts: log(),
  'webhook-progress': renewed('webhook-dispatcher'),
  'ingress-status': log(),
  'feed-health': renewed(),
  'poller-checkpoints': renewed(),
  'dead-letters': log(),
  // Its last records raise the ends of topics that people edit.
  'topic-ids': { group: null, needs: [], deleted: IDS, recreated: IDS, beginning: IDS, end: null },
  'match-processor-positions': POSITIONS,
  'standings-processor-positions': POSITIONS,
  // Its processor has no state, and publishes the alerts of a day again, under the same ids.
  'alert-processor-positions': {
    ...POSITIONS,
    deleted: /^missing: \S+alert-processor-positions$/,
    recreated: null,
    beginning: null,
    end: null,
  },
};

/** The input that the records of matches are derived from. */
export const MESSAGES = 'normalized-messages';

const ROW_NAMES = Object.keys(ROWS) as AnyTopic[];

/** The topics that are lost together, by what they have in common, or a topic by its name. */
export const GROUPS: ReadonlyMap<string, readonly AnyTopic[]> = Map.groupBy(
  ROW_NAMES,
  (topic) => ROWS[topic].group ?? topic,
);

/** A system whose topics all have records, with the positions of processors that have processed them, and without processes. */
export class LostTopics {
  readonly connection: TestBackbone;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(connection: TestBackbone) {
    this.connection = connection;
    this.#env = connectionEnv(connection);
  }

  /** Creates a system without records. */
  static async create(connection: TestBackbone): Promise<LostTopics> {
    const { brokers, registryUrl: url, prefix } = connection;
    await createTopics({ brokers, prefix, partitions: 1 });
    await new Registry({ url, prefix }).registerAll();
    return new LostTopics(connection);
  }

  /** Returns the name of a topic on the broker. */
  nameOf(topic: AnyTopic): string {
    const { prefix } = this.connection;
    if (topic === 'topic-ids') return topicIdsName(prefix);
    const processor = PROCESSOR_NAMES.find((one) => `${one}-positions` === topic);
    return processor === undefined
      ? topicName(prefix, topic as TopicName)
      : positionsTopicName(prefix, processor);
  }

  /** Writes a record to each topic, and the positions of processors that have processed them. */
  async fill(): Promise<void> {
    const { brokers, registryUrl: url, prefix } = this.connection;
    const registry = new Registry({ url, prefix });
    await new ClientDirectory('clients', { ...this.connection, log: quietLog }).edit(1, () =>
      sampleOf('clients'),
    );
    const token = sampleOf('access-tokens');
    await new VersionedTopic('access-tokens', { ...this.connection, log: quietLog }).edit(
      token.token_id,
      () => token,
    );
    const halt = sampleOf('trading-halts');
    await new VersionedTopic('trading-halts', { ...this.connection, log: quietLog }).edit(
      halt.scope,
      () => halt,
    );
    const client = openStreamClient({ brokers, clientId: 'test' });
    // On a busy broker, partitions of a new topic have no leader for a while.
    const boundsOf = (names: readonly string[]) =>
      until('the leaders answer', () =>
        client.logBounds(names.map((topic) => ({ topic, partition: 0 }))).catch(() => undefined),
      );
    try {
      const [input] = await boundsOf([this.nameOf(MESSAGES)]);
      const topics = TOPIC_NAMES.filter((topic) => ROWS[topic].end !== NO_END);
      await this.#publish(
        await Promise.all(topics.map((topic) => this.#recordOf(topic, registry, input?.end ?? 0))),
      );
      const positions = await Promise.all(
        PROCESSOR_NAMES.map(async (processor) => {
          const topics = streamTopics(prefix, processor);
          const logs = [...topics.changelogs, ...ownOutputs(topics)];
          const names = [topics.input, ...logs];
          const ids = await client.topicIds(names);
          const bounds = await boundsOf(names);
          const marks = logs.map((topic, at): [string, LogMark] => {
            const { start = 0, end = 0 } = bounds[at + 1] ?? {};
            const isChangelog = at < topics.changelogs.length;
            const id = isChangelog ? (ids.get(topic) ?? '') : null;
            return [topic, { id, start: isChangelog ? start : null, end, last: end - 1 }];
          });
          return positionRecord(positionsTopicName(prefix, processor), 0, {
            next: bounds[0]?.end ?? 0,
            topicId: ids.get(topics.input) ?? '',
            inputEpoch: null,
            logs: Object.fromEntries(marks),
            producer: { id: '0', epoch: 0 },
          });
        }),
      );
      await this.#publish(positions.map((record) => ({ ...record, key: String(record.key) })));
    } finally {
      await client.close();
    }
  }

  /** Returns the sample of a topic, as the processor would derive it of the first message of its match, at this offset of the input. */
  async #recordOf(topic: TopicName, registry: Registry, offset: number) {
    const sample = sampleOf(topic) as unknown as Record<string, unknown>;
    const { keyField }: TopicSpec = TOPICS[topic];
    const key = String(keyField === undefined ? sampleOf(MESSAGES).event_id : sample[keyField]);
    const cause = { ...sampleOf('match-state').cause, partition: 0, offset };
    const derived = {
      ...('cause' in sample ? { version: 1, cause } : {}),
      ...(topic === 'standings-results'
        ? { result: (await this.#recordOf('match-results', registry, offset)).value }
        : {}),
    };
    const codec = await registry.codec(topic);
    const value = codec.encode({ ...sample, ...derived } as never);
    return { topic: this.nameOf(topic), partition: 0, key, value };
  }

  async #publish(
    records: readonly { topic: string; partition: number; key: string; value: Buffer | null }[],
  ) {
    const options = {
      brokers: this.connection.brokers,
      clientId: 'test',
      log: quietLog,
      timeoutMs: WITHIN_MS,
    };
    await withPublisher(options, (publisher) => publisher.publish(records));
  }

  /** Returns what `touchline doctor` fails on. */
  async failures(): Promise<CheckResult[]> {
    const { findings } = await doctor(this.#env);
    return findings.filter(({ status }) => status === 'failed');
  }

  /** Lets topics lose something; not their `end`, which needs the folder of a broker that is down. */
  async lose(topics: readonly AnyTopic[], loss: Exclude<Loss, 'end'>): Promise<void> {
    const { brokers, prefix } = this.connection;
    const names = topics.map((topic) => this.nameOf(topic));
    if (loss === 'beginning') for (const topic of topics) await this.#loseBeginning(topic);
    else await deleteTopics(brokers, names);
    if (loss === 'recreated') await makeOnly(new Set(names), { brokers, prefix, partitions: 1 });
  }

  async #loseBeginning(topic: AnyTopic): Promise<void> {
    const { brokers, registryUrl: url, prefix } = this.connection;
    const name = this.nameOf(topic);
    const wanted = wantedTopics({ prefix, partitions: 1 }).find((one) => one.name === name);
    await this.#set(name, { 'cleanup.policy': 'delete' });
    const client = openStreamClient({ brokers, clientId: 'test' });
    const [bounds] = await client.logBounds([{ topic: name, partition: 0 }]);
    await client.close();
    const isInput = PROCESSOR_NAMES.some((of) => streamTopics(prefix, of).input === name);
    // Processed input expires by design: here a record that nobody has processed does.
    if (isInput)
      await this.#publish([await this.#recordOf(topic as TopicName, new Registry({ url, prefix }), 0)]);
    const offset = BigInt((bounds?.end ?? 0) + (isInput ? 1 : 0));
    await withAdmin(brokers, (admin) =>
      admin.deleteRecords({ topics: [{ name, partitions: [{ partition: 0, offset }] }] }),
    );
    await this.#set(name, { 'cleanup.policy': wanted?.spec.cleanup ?? expect.fail(`no topic ${name}`) });
  }

  async #set(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
    const { brokers } = this.connection;
    await withTopicAdmin(brokers, WITHIN_MS, (admin) => admin.alterSettings(new Map([[name, settings]])));
  }

  /**
   * Expects that doctor says what topics lost, in at most five lines, and that each service that acts on their records does not start; and
   * that nobody says anything where nothing is lost.
   */
  async expectLost(topics: readonly AnyTopic[], loss: Loss): Promise<void> {
    const [said = null] = topics.map((topic) => ROWS[topic][loss]);
    await this.#expectSaid(said, topics.length > 1 ? topics : []);
    const isRefused = loss === 'deleted' || loss === 'recreated' || said === NO_BEGINNING || said === NO_END;
    await this.#expectBy(isRefused ? topics.flatMap((topic) => ROWS[topic].needs) : [], 'TOPIC_LOST');
  }

  async #expectSaid(said: RegExp | null, named: readonly AnyTopic[] = []): Promise<void> {
    const found = await this.failures();
    const lines = findingLines(found).slice(0, -2);
    const finding = found.find(({ message }) => said?.test(message));
    if (said === null) expect(found).toEqual([]);
    else expect(finding, lines.join('\n')).toBeDefined();
    for (const topic of said === null ? [] : named) expect(finding?.message).toContain(this.nameOf(topic));
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(MAX_LINES);
  }

  async #expectBy(by: readonly ServiceName[], code: string): Promise<void> {
    const { brokers, prefix } = this.connection;
    await withConnections(brokers, 'test-topics', async (connections) => {
      for (const service of SERVICE_NAMES) {
        const refusal = requireSettings(connections, prefix, service);
        if (by.includes(service)) await expect(refusal, service).rejects.toMatchObject({ code });
        else await expect(refusal, service).resolves.toBeUndefined();
      }
    });
  }

  /** Runs the commands that doctor prints, one after the other, until it fails on nothing any more. */
  async mend(): Promise<void> {
    const tried = new Set<string>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [first] = await this.failures();
      if (first === undefined) return;
      const commands = commandsIn(`${first.message}\n${first.advice ?? ''}`);
      const printed = commands.find((command) => !tried.has(command)) ?? expect.fail(JSON.stringify(first));
      tried.add(printed);
      const done = await touchlineHere(printed.split(' '), this.#env);
      if (done.err.includes('kafka-configs.sh')) await this.#alterAsPrinted(done.err);
      else expect(done, `${first.message}\n${printed}: ${done.err}`).toMatchObject({ code: 0 });
    }
    expect(await this.failures()).toEqual([]);
  }

  /** Does what the printed commands of kafka-configs.sh do. */
  async #alterAsPrinted(text: string): Promise<void> {
    for (const [, name = '', policy = ''] of text.matchAll(
      /--entity-name '(\S+)' --add-config cleanup\.policy=(\w+)/g,
    ))
      await this.#set(name, { 'cleanup.policy': policy });
  }
}

/** Commands that may follow from each other: a topic is created, then what is derived of it. */
const MAX_ROUNDS = 4;
