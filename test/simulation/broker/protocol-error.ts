/** An error in a broker's response, by Kafka's name; has the shape of the library's error. */
export class ProtocolError extends Error {
  readonly apiId: string;

  constructor(apiId: string) {
    super(apiId);
    this.apiId = apiId;
  }
}

/** A lost connection or a request that timed out; has the shape of the library's error. */
export class NetworkError extends Error {
  readonly code: 'PLT_KFK_NETWORK' | 'PLT_KFK_TIMEOUT';

  constructor(code: NetworkError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
