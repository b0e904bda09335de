/** Addresses that commands print for their readers, and words of the shell commands beside them. */
import { join, resolve } from 'node:path';
import { addressesOf } from '#security/brokers.ts';
import { dataSettings } from '#service/config.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { parseRegistryAddress } from '#topics/registry-http.ts';

const ROOT = join(import.meta.dirname, '..');

/** Returns the addresses of broker and registry and the names of topics, a line each. */
export function backboneLines({ brokers, registryUrl, prefix }: TopicCluster): string[] {
  return [
    `  Kafka     ${addressesOf(brokers).join(',')}`,
    `  Registry  ${parseRegistryAddress(registryUrl).url}`,
    `  Topics    ${prefix}*`,
  ];
}

/** Returns the command that enters the folder of this program, where alone `npx touchline` works. */
export function enterFolder(): string {
  return `  cd ${shellWord(ROOT)}`;
}

/** Returns the prefix that makes a command use a data folder; empty for the default folder. */
export function dataDirFor(folder: string): string {
  const path = resolve(folder);
  return path === join(ROOT, dataSettings.DATA_DIR.parse(undefined)) ? '' : `DATA_DIR=${shellWord(path)} `;
}

/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
