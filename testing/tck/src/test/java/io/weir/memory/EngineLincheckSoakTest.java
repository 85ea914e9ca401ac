package io.weir.memory;

import org.junit.jupiter.api.Tag;

/** The same as {@link EngineLincheckTest}, for a minute or two. */
@Tag("soak")
class EngineLincheckSoakTest extends EngineLincheckTest {
  @Override
  int scenarios() {
    return 15;
  }
}
