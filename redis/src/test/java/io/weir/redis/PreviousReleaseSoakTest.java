package io.weir.redis;

import org.junit.jupiter.api.Tag;

/** The same as {@link PreviousReleaseTest} with limits of all ratios, for some minutes. */
@Tag("soak")
class PreviousReleaseSoakTest extends PreviousReleaseTest {
  @Override
  int seeds() {
    return 2;
  }
}
