import { EmbeddedError } from './errors.ts';
import type { Env } from './settings.ts';

/** A broker and a registry configured in the environment. */
type Configured = {
  readonly addresses: { readonly brokers: string[]; readonly registryUrl: string };
  /** The addresses for display, without user, password and query. */
  readonly shown: string;
};

/**
 * Returns the broker and registry of KAFKA_BROKERS (host:port, comma between several) and SCHEMA_REGISTRY_URL; undefined if
 * neither is set. Throws CONFIG_INCOMPLETE when one of them is missing or invalid.
 */
export function configured(env: Env): Configured | undefined {
  const brokers = (env.KAFKA_BROKERS ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  const url = (env.SCHEMA_REGISTRY_URL ?? '').trim().replace(/\/+$/, '');
  if (brokers.length === 0 && url === '') return undefined;
  if (brokers.length === 0)
    throw incomplete('SCHEMA_REGISTRY_URL is set but KAFKA_BROKERS is not: set both or none');
  if (url === '') throw incomplete('KAFKA_BROKERS is set but SCHEMA_REGISTRY_URL is not: set both or none');
  if (!brokers.every((broker) => /^[^\s/@]+:\d{1,5}$/.test(broker))) {
    throw incomplete('KAFKA_BROKERS is not a list of host:port with commas between them');
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw incomplete('SCHEMA_REGISTRY_URL is not an http or https address');
  }
  const { origin, pathname } = new URL(url);
  return {
    addresses: { brokers, registryUrl: url },
    shown: `${brokers.join(',')} and ${origin}${pathname}`,
  };
}

function incomplete(message: string): EmbeddedError {
  return new EmbeddedError('CONFIG_INCOMPLETE', message);
}
