/** The exports of `@platformatic/kafka`, imported without compiling its validators. */
import './lazy-validators.ts';

export * from '@platformatic/kafka';
