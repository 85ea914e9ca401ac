package io.weir.server.admin;

import org.jspecify.annotations.Nullable;

/** What is known of who asks, for the page that shows all rules; on the watchman's thread. */
interface Who {
  /** Nobody has looked. */
  Who UNKNOWN =
      new Who() {
        @Override
        public int oneIn() {
          return 1;
        }

        @Override
        public long missed() {
          return 0;
        }

        @Override
        public long bytes() {
          return 0;
        }

        @Override
        public @Nullable Callers callers(String label) {
          return null;
        }
      };

  /** Of how many decisions one is looked at. */
  int oneIn();

  /** How many were to be looked at, and were not. */
  long missed();

  /** About what this knowledge takes up. */
  long bytes();

  /** Who asked a rule in the last day; null if that is unknown. */
  @Nullable Callers callers(String label);

  /**
   * How many callers there were.
   *
   * @param error the standard error of these numbers, as a share of them
   */
  record Callers(long distinct, long refused, double error) {}
}
