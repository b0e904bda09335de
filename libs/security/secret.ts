/** Secrets that may rotate while a process runs. */
import { readFileSync } from 'node:fs';
import { TouchlineError } from '#errors/touchline-error.ts';

/** A secret: its text, or the file that has it. The file is read whenever the secret is needed: it may have rotated. */
export type Secret = string | { readonly file: string };

/** A file that a setting names cannot be read. `message` names the file, never its content. */
export class SecretFileError extends TouchlineError<'SecretFileError'> {
  override readonly name = 'SecretFileError';

  constructor(file: string, cause: unknown) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    super('FILE_UNREADABLE', `the file ${file} cannot be read (${reason})`, cause);
  }
}

/** Every secret that this thread read from a file: none of them may reach a log, also after it rotated. */
const read = new Set<string>();

/** The text of a secret, without the line end of its file. Throws `SecretFileError`. */
export function readSecret(secret: Secret): string {
  if (typeof secret === 'string') return secret;
  const text = readText(secret.file).replace(/\r?\n$/, '');
  if (text !== '') read.add(text);
  return text;
}

/** The secrets that were read from files so far. */
export function secretsRead(): ReadonlySet<string> {
  return read;
}

/** The text of a file that a setting names. Throws `SecretFileError`. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SecretFileError(file, error);
  }
}
