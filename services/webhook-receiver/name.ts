/** The name of the service, and how it signs what it gives up. */
export const SERVICE = 'webhook-receiver';
