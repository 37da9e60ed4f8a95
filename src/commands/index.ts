import { type CommonWord, defineCommand } from '../cli/command-spec.js';
import { api } from './api/index.js';
import { auth } from './auth/index.js';
import { completeCommand, completion } from './completion/index.js';
import { config } from './config/index.js';
import { doctor } from './doctor/index.js';
import { help } from './help/index.js';
import { orders } from './orders/index.js';
import { pets } from './pets/index.js';
import { profile } from './profile/index.js';
import { quota } from './quota/index.js';
import { sandbox } from './sandbox/index.js';
import { serve } from './serve/index.js';

/** Words that users try first, and the command that each means. */
const commonWords: ReadonlyMap<string, CommonWord> = new Map([
  ['list', { means: ['pets', 'list'] }],
  ['add', { means: ['pets', 'add'] }],
  ['create', { means: ['pets', 'add'] }],
  ['get', { means: ['pets', 'get'] }],
  ['show', { means: ['pets', 'get'] }],
  ['delete', { means: ['pets', 'delete'], problem: 'the API has no such operation' }],
  ['login', { means: ['auth', 'login'] }],
  ['logout', { means: ['auth', 'logout'] }],
  ['status', { means: ['auth', 'status'] }],
  ['version', { means: ['--version'] }],
]);

export const petstore = defineCommand('petstore', 'Work with an animal store API from the command line.', () => ({
  commands: [
    pets,
    orders,
    auth,
    profile,
    config,
    quota,
    api,
    sandbox,
    serve,
    doctor,
    completion,
    completeCommand,
    help,
  ],
  examples: [
    ['petstore pets list --status available', 'List the pets that are for sale'],
    ['petstore auth login', 'Log in to a service'],
  ],
  commonWords,
}));
