/** The header of a record that belongs to a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';
