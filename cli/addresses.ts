/** Addresses of a running platform for other clients, and commands that work from any folder. */
import { join, resolve } from 'node:path';
import { addressesOf } from '#security/brokers.ts';
import { dataSettings } from '#service/config.ts';
import { parseRegistryAddress } from '#topics/registry-address.ts';
import type { Platform } from './platform.ts';

const ROOT = join(import.meta.dirname, '..');

/** Where the broker, the registry and the topics of a platform are, a line each. */
export function backboneLines({ backbone, prefix }: Pick<Platform, 'backbone' | 'prefix'>): string[] {
  return [
    `  Kafka     ${addressesOf(backbone.brokers).join(',')}`,
    `  Registry  ${parseRegistryAddress(backbone.registryUrl).url}`,
    `  Topics    ${prefix}*`,
  ];
}

/** The first command: `npx touchline` works only in the folder of this program. */
export function enterFolder(): string {
  return `  cd ${shellWord(ROOT)}`;
}

/** Prefix of commands that use a data folder, valid in any folder; empty for the usual one. */
export function dataDirFor(folder: string): string {
  const path = resolve(folder);
  return path === join(ROOT, dataSettings.DATA_DIR.parse(undefined)) ? '' : `DATA_DIR=${shellWord(path)} `;
}

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
