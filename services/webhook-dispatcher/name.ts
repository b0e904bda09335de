/** The name of this service: its folder, its processor, its group. */
export const SERVICE = 'webhook-dispatcher';
