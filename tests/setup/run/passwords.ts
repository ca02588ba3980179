// Runs before each file: passwords of tests are hashed at little cost. Servers in processes of their own hash at the real one.
import { hashing } from '../../../server/accounts/sign-in/passwords/passwords.ts';

hashing.cost = 16;
