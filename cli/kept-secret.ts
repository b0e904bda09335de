/** The secrets that a platform makes, and keeps in its data folder. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { CommandError } from './command.ts';

type KeptSecret = {
  readonly secrets: string;
  /** Where it is kept; null where the setting gives it. */
  readonly file: string | null;
  /** Whether it was made now. */
  readonly isNew: boolean;
};

/**
 * A secret of this deployment: the given one, else the one in the file, made where there is none, for its owner's eyes only. What
 * is made has as many characters as a webhook's secret. A file is never written over: what it has may be what webhooks of
 * clients are sealed with. Throws `CommandError` where `setting` does not take what it has.
 */
export function keptSecret(
  file: string,
  { setting, given }: { readonly setting: z.ZodType; readonly given: string | undefined },
): KeptSecret {
  if (given !== undefined) return { secrets: given, file: null, isNew: false };
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  // An empty one is of a start that was killed.
  if (kept === '') {
    const secrets = randomBytes((SECRET_LENGTH * 3) / 4).toString('base64url');
    writeFileSync(file, `${secrets}\n`, { mode: 0o600 });
    return { secrets, file, isNew: true };
  }
  const { error } = setting.safeParse(kept);
  if (error === undefined) return { secrets: kept, file, isNew: false };
  throw new CommandError(
    `${file} ${error.issues[0]?.message}: correct it, or remove it to have another one made, which opens nothing of before`,
  );
}
