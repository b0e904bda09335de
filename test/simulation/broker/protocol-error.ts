/** An error of a broker's answer, by its name in the protocol; has the shape of the library's. */
export class ProtocolError extends Error {
  readonly apiId: string;

  constructor(apiId: string) {
    super(apiId);
    this.apiId = apiId;
  }
}

/** A connection that is gone, or a request that nobody answered in time; has the shape of the library's. */
export class NetworkError extends Error {
  readonly code: 'PLT_KFK_NETWORK' | 'PLT_KFK_TIMEOUT';

  constructor(code: NetworkError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
