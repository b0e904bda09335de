/** Secrets that a platform creates and keeps in its data folder. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { CommandError } from './command.ts';

type KeptSecret = {
  readonly secrets: string;
  /** The file that keeps it; null when a setting supplies it. */
  readonly file: string | null;
  /** Whether it was created now. */
  readonly isNew: boolean;
};

/**
 * Returns a secret of this deployment: the given one, else that of the file, else a new one, which only the file's owner can
 * read. A new secret has the length of a webhook secret. A secret in the file is never overwritten: it may seal the webhooks of
 * clients. Throws `CommandError` when `setting` rejects the content of the file.
 */
export function keptSecret(
  file: string,
  { setting, given }: { readonly setting: z.ZodType; readonly given: string | undefined },
): KeptSecret {
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
