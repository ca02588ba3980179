// An action that someone started: whether it is still running, and what went wrong.
import { problem } from './client';

export class Task {
  isBusy = $state(false);
  trouble = $state('');

  /** Resolves to true when it succeeds. Otherwise `trouble` says why not. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    this.isBusy = true;
    this.trouble = '';
    try {
      await act();
      return true;
    } catch (error) {
      this.trouble = problem(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }
}
