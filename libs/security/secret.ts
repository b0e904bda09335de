/** Secrets that may rotate while a process runs. */
import { readFileSync } from 'node:fs';
import { defineError } from '#errors/touchline-error.ts';

/** A secret: its text, or the file that contains it. The file is read at each use, as the secret may rotate. */
export type Secret = string | { readonly file: string };

/** Thrown when a file that a setting names cannot be read. The message names the file, never its content. */
export class SecretFileError extends defineError('SecretFileError') {
  constructor(file: string, cause: unknown) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    super('FILE_UNREADABLE', `the file ${file} cannot be read (${reason})`, cause);
  }
}

/** All secrets that this thread read from files. None may reach a log, even after its rotation. */
const read = new Set<string>();

/** Returns the text of a secret, without the line end of its file. Throws `SecretFileError`. */
export function readSecret(secret: Secret): string {
  if (typeof secret === 'string') return secret;
  const text = readText(secret.file).replace(/\r?\n$/, '');
  if (text !== '') read.add(text);
  return text;
}

/** Returns the secrets that this thread has read from files. */
export function secretsRead(): ReadonlySet<string> {
  return read;
}

/** Returns the text of a file that a setting names. Throws `SecretFileError`. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SecretFileError(file, error);
  }
}
