import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** By certificates: each holds all the usual ones too, and a process has as many endpoints as there are customers. */
const contexts = new Map<string, SecureContext>();

/** What trusts these certificates (PEM) beside the usual ones. */
export function trusting(ca: string): SecureContext {
  const known = contexts.get(ca);
  if (known !== undefined) return known;
  const context = createSecureContext({ ca: [...getCACertificates('default'), ca] });
  contexts.set(ca, context);
  return context;
}
