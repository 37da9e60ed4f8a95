import type { Noun } from '../ports/frame.js';
import { auth } from './auth/index.js';
import { pets } from './pets/index.js';
import { profile } from './profile/index.js';
import { serve } from './serve/index.js';

/** Every noun, in the order in which help shows them. */
export const nouns: readonly Noun[] = [pets, auth, profile, serve];
