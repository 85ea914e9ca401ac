package io.weir.redis;

import io.weir.rig.RedisProgram;
import org.junit.jupiter.api.Tag;

/** The same as {@link StrictAttacksTest} with the oldest Redis that is supported. */
@Tag("soak")
class StrictAttacksSoakTest extends StrictAttacksTest {
  @Override
  RedisProgram program() {
    return RedisProgram.jar();
  }
}
