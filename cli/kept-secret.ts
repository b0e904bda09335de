/** Secrets that a platform creates and keeps in its data folder. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { makeFilesPrivate, makePrivateFolder } from '#security/folders.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { CLIENTS_KEY_FILE } from './cluster.ts';
import { CommandError } from './command.ts';
import { type PlatformSettings, platformSettings } from './platform-settings.ts';

/** Reads or creates the secrets in the data folder. Throws as `keptSecret`. */
export function platformSecrets(dataDir: string, given: PlatformSettings) {
  makeFilesPrivate();
  makePrivateFolder(dataDir);
  const { WEBHOOK_SECRET, CLIENTS_KEY } = platformSettings;
  return {
    webhook: keptSecret(join(dataDir, 'webhook-secret'), {
      setting: WEBHOOK_SECRET,
      given: given.WEBHOOK_SECRET?.join(','),
    }),
    clients: keptSecret(join(dataDir, CLIENTS_KEY_FILE), { setting: CLIENTS_KEY, given: given.CLIENTS_KEY }),
  };
}

/**
 * Returns a secret of this deployment: the given one, else that of the file, else a new one in the file; with the file that keeps it,
 * null when a setting supplies it, and whether it was created now. During a rotation there are two secrets with a comma between them: the
 * first signs. A secret in the file is never overwritten: it may seal the webhooks of clients. Throws `CommandError` when `setting`
 * rejects the content of the file.
 */
export function keptSecret(
  file: string,
  { setting, given }: { readonly setting: z.ZodType; readonly given: string | undefined },
): { readonly secrets: string; readonly file: string | null; readonly isNew: boolean } {
  if (given !== undefined) return { secrets: given, file: null, isNew: false };
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  // A start that was killed leaves an empty file.
  if (kept === '') {
    const secrets = randomBytes((SECRET_LENGTH * 3) / 4).toString('base64url');
    writeFileSync(file, `${secrets}\n`, { mode: 0o600 });
    return { secrets, file, isNew: true };
  }
  const { error } = setting.safeParse(kept);
  if (error === undefined) return { secrets: kept, file, isNew: false };
  throw new CommandError(
    `${file} ${error.issues[0]?.message}: correct it, or remove it: a new secret is then created, which opens nothing that the previous one sealed`,
  );
}
