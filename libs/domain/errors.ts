import { defineError } from '#errors/touchline-error.ts';

/** Thrown by the domain, always before it changes anything. */
export class DomainError extends defineError('DomainError') {}
