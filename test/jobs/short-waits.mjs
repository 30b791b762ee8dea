// Stands in for node:timers/promises in the action that tests build: it waits as long as it says only in its own words.
import { setTimeout as wait } from 'timers/promises';

export const setTimeout = (milliseconds, value, options) => wait(Math.min(milliseconds, 5), value, options);
