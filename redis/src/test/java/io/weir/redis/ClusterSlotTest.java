package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The results of {@code CLUSTER KEYSLOT} of Redis 7. */
final class ClusterSlotTest {
  @ParameterizedTest
  @CsvSource({
    "123456789, 12739",
    "foo, 12182",
    "{foo}bar, 12182",
    "a{foo}bar{baz}, 12182",
    "foo{, 7673",
    "{}foo, 9500",
    "é, 10180",
  })
  void isOfTheHashTag(String key, int slot) {
    assertThat(ClusterSlot.of(TestTransport.bytes(key))).isEqualTo(slot);
  }
}
