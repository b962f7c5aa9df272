// When to start a sidecar again that has ended by itself: after 0.5 s, 1 s, 2 s …; not at all once it has ended five times
// within two minutes.

const first = 500, most = 30_000, within = 120_000, limit = 5;

export class Restarts {
  private ends: number[] = [];

  /** The sidecar has ended at now (ms). Gives the time to wait before the next start, or undefined: that is a loop. */
  ended(now: number): number | undefined {
    this.ends = [...this.ends.filter(at => now - at < within), now];
    return this.ends.length >= limit ? undefined : Math.min(most, first * 2 ** (this.ends.length - 1));
  }

  /** The user wants it again. */
  forget(): void {
    this.ends = [];
  }
}
