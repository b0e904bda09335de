/** The Kafka Streams peer in `peers/kafka-streams`: built on first use, then run beside the match processor. */
import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Registry } from '#topics/registry.ts';
import type { BenchContext } from './context.ts';
import { type ProcessCommand, type Running, start } from './processes.ts';

const FOLDER = join(import.meta.dirname, 'peers/kafka-streams');
const JAR = join(FOLDER, 'target/peer.jar');
const SCHEMAS = join(import.meta.dirname, '../schemas');

let built: Promise<void> | null = null;

/** Builds the peer, once, unless it is newer than its sources and the schemas. Needs Maven and Java 17. */
export function buildPeer(context: BenchContext): Promise<void> {
  built ??= build(context);
  return built;
}

async function build(context: BenchContext): Promise<void> {
  const modifiedAt = async (file: string) => (await stat(file)).mtimeMs;
  const builtAt = await modifiedAt(JAR).catch(() => 0);
  let isNewest = true;
  for await (const file of glob([join(FOLDER, 'pom.xml'), join(FOLDER, 'src/**'), join(SCHEMAS, '**')]))
    isNewest &&= (await modifiedAt(file)) <= builtAt;
  if (isNewest) return;
  context.print('building the Kafka Streams peer (Maven Central, on first use some 60 MB)');
  await promisify(execFile)('mvn', ['-q', '-B', 'clean', 'package'], {
    cwd: FOLDER,
    maxBuffer: 16 * 1024 * 1024,
  });
}

export type PeerOptions = {
  readonly inputPrefix: string;
  /** Prefix of the output topics, which must exist. */
  readonly outputPrefix: string;
  /** Application id, which is also the consumer group. */
  readonly application: string;
  /** Distinguishes processes of one application. Default: a single process. */
  readonly process?: string;
  /** Settings of Kafka Streams that override the peer's own. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Maximum heap, GiB. The stores are in memory: 2 GiB hold those of half a million messages. Default 2. */
  readonly heapGiB?: number | undefined;
};

/** Starts the peer. */
export async function startPeer(context: BenchContext, options: PeerOptions): Promise<Running> {
  const command = await peerCommand(context, options);
  return start({ ...command, outputFile: join(context.dir, `${options.application}.log`) });
}

/** Returns the command line of a process of the peer. */
export async function peerCommand(context: BenchContext, options: PeerOptions): Promise<ProcessCommand> {
  const { inputPrefix, outputPrefix, application, process = '', settings = {}, heapGiB = 2 } = options;
  const ids = await schemaIds(context, inputPrefix);
  return {
    command: 'java',
    args: [
      `-Xmx${heapGiB}g`,
      `-Xms${heapGiB}g`,
      '-XX:+UseParallelGC',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-cp',
      `${JAR}:${join(FOLDER, 'target/lib/*')}`,
      'touchline.peer.Main',
      '--brokers',
      context.brokers.join(','),
      '--input-prefix',
      inputPrefix,
      '--output-prefix',
      outputPrefix,
      '--schema-ids',
      ids,
      '--application-id',
      application,
      '--state-dir',
      join(context.dir, `${application}${process}`),
      ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
    ],
  };
}

/** Returns the ids of the schemas, as this repository's registry client registered them. */
async function schemaIds(context: BenchContext, prefix: string): Promise<string> {
  const registry = new Registry({ url: context.registryUrl, prefix });
  await registry.registerAll();
  const topics = ['normalized-messages', 'match-incidents', 'match-state', 'match-transitions'] as const;
  const pairs = topics.map(async (topic) => {
    const response = await fetch(
      `${context.registryUrl}/subjects/${registry.subject(topic)}/versions/latest`,
    );
    const { id } = (await response.json()) as { id: number };
    return `${topic}=${id}`;
  });
  return (await Promise.all(pairs)).join(',');
}
