package io.weir.redis;

import org.junit.jupiter.api.Tag;

/** {@link LeakTest} a thousand times over. */
@Tag("soak")
class LeakSoakTest extends LeakTest {
  @Override
  int cycles() {
    return 1000;
  }
}
