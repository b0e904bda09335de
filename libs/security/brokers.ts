/** Addresses of a Kafka cluster, and the security of connections to it. Plain data, so that threads can receive it. */
import type { TokenSource } from './bearer-token.ts';
import type { Secret } from './secret.ts';
import type { TlsFiles } from './tls.ts';

/** Authentication of a connection, with the protocol's names of mechanisms. */
export type Sasl =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: Secret;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly source: TokenSource };

type KafkaSecurity = {
  readonly tls: TlsFiles | null;
  /** Null: no authentication, or by TLS certificate. */
  readonly sasl: Sasl | null;
};

/** Brokers (host:port) with secured connections. */
export type SecuredBrokers = KafkaSecurity & { readonly addresses: readonly string[] };

/** Brokers to connect to first (host:port). Addresses alone mean plain connections. */
export type Brokers = readonly string[] | SecuredBrokers;

const PLAIN: KafkaSecurity = { tls: null, sasl: null };

export function addressesOf(brokers: Brokers): readonly string[] {
  return isPlain(brokers) ? brokers : brokers.addresses;
}

/** Returns some brokers of the cluster (host:port) with the same security. */
export function brokersAt(brokers: Brokers, addresses: readonly string[]): Brokers {
  return isPlain(brokers) ? addresses : { ...brokers, addresses };
}

export function securityOf(brokers: Brokers): KafkaSecurity {
  return isPlain(brokers) ? PLAIN : brokers;
}

export function shownBrokers(brokers: Brokers): string {
  return addressesOf(brokers).join(', ');
}

function isPlain(brokers: Brokers): brokers is readonly string[] {
  return Array.isArray(brokers);
}
