/** What `@platformatic/kafka` exports, without what its import would compute for clients that nothing here uses. */
import './lazy-validators.ts';

export * from '@platformatic/kafka';
