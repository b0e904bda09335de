import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** The message for a client of any error that neither it nor its contract caused. */
export const SERVER_FAILED = 'The server failed. Try again later.';

/** Creates the protocol's error for invalid parameters. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
