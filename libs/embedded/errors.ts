/** What can go wrong while a broker and a registry are found or started. Every message is one line for the user. */
export type EmbeddedErrorCode =
  | 'CONFIG_INCOMPLETE'
  | 'DATA_FOLDER_IN_USE'
  | 'DATA_FOLDER_NEWER'
  | 'DOCKER_FAILED'
  | 'DOWNLOAD_FAILED'
  | 'JAVA_MISSING'
  | 'JAVA_TOO_OLD'
  | 'MAVEN_MISSING'
  | 'NO_BACKBONE'
  | 'PORT_IN_USE'
  | 'START_FAILED'
  | 'START_TIMEOUT';

/** An error of `libs/embedded`: `code` for programs, `message` for people, `cause` where there is one. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
