/** Where a Kafka cluster is, and how its connections are secured. Plain data: threads receive it too. */
import type { TokenSource } from './bearer-token.ts';
import type { Secret } from './secret.ts';
import type { TlsFiles } from './tls.ts';

/** How a connection proves who it is, by the names of the protocol. */
export type Sasl =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: Secret;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly source: TokenSource };

/** How connections to a cluster are secured. */
export type KafkaSecurity = {
  /** Null: without TLS. */
  readonly tls: TlsFiles | null;
  /** Null: without authentication, or by the certificate of TLS. */
  readonly sasl: Sasl | null;
};

/** Brokers, host:port, whose connections are secured. */
export type SecuredBrokers = KafkaSecurity & { readonly addresses: readonly string[] };

/** Brokers to start from, host:port; addresses alone are plain connections. */
export type Brokers = readonly string[] | SecuredBrokers;

const PLAIN: KafkaSecurity = { tls: null, sasl: null };

export function addressesOf(brokers: Brokers): readonly string[] {
  return isPlain(brokers) ? brokers : brokers.addresses;
}

/** These brokers of the cluster, host:port, by connections that are secured alike. */
export function brokersAt(brokers: Brokers, addresses: readonly string[]): Brokers {
  return isPlain(brokers) ? addresses : { ...brokers, addresses };
}

export function securityOf(brokers: Brokers): KafkaSecurity {
  return isPlain(brokers) ? PLAIN : brokers;
}

/** For a person. */
export function shownBrokers(brokers: Brokers): string {
  return addressesOf(brokers).join(', ');
}

function isPlain(brokers: Brokers): brokers is readonly string[] {
  return Array.isArray(brokers);
}
