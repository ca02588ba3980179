// Something that a person asked for: whether it is still under way, and what went wrong with it.
import { problem } from './trpc';

export class Task {
  isBusy = $state(false);
  trouble = $state('');

  /** True once it is done; otherwise `trouble` says why it is not. */
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
