import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** Cached by certificates: each context includes the usual ones, and a process has an endpoint for each customer. */
const contexts = new Map<string, SecureContext>();

/** A context that trusts these certificates (PEM) beside the usual ones. */
export function trusting(ca: string): SecureContext {
  const known = contexts.get(ca);
  if (known !== undefined) return known;
  const context = createSecureContext({ ca: [...getCACertificates('default'), ca] });
  contexts.set(ca, context);
  return context;
}
