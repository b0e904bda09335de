/** Reads the head of a request. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { SIGNATURE_HEADER, type SignatureHeaders, TIMESTAMP_HEADER } from '#signing/signing.ts';

export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** Returns the value of a header. A repeated one becomes one text with a comma, which is valid in neither signature header. */
export function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

export function signatureOf(headers: IncomingHttpHeaders): SignatureHeaders {
  return {
    timestamp: headerText(headers[TIMESTAMP_HEADER]),
    signature: headerText(headers[SIGNATURE_HEADER]),
  };
}

/** Whether a path is valid percent-encoding. */
export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
