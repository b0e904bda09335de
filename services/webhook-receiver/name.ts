/** The name of the service, also in its dead letters. */
export const SERVICE = 'webhook-receiver';
