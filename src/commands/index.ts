import type { CommandSpec } from '../cli/command-spec.js';
import { api } from './api/index.js';
import { auth } from './auth/index.js';
import { completeCommand } from './complete/index.js';
import { completion } from './completion/index.js';
import { config } from './config/index.js';
import { doctor } from './doctor/index.js';
import { help } from './help/index.js';
import { orders } from './orders/index.js';
import { pets } from './pets/index.js';
import { profile } from './profile/index.js';
import { quota } from './quota/index.js';
import { sandbox } from './sandbox/index.js';
import { serve } from './serve/index.js';

/** Every command group, in the order of the help. */
export const commandGroups: readonly CommandSpec[] = [
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
];
