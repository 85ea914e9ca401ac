package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Limit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BucketNameTest {
  private static final Limit PER_MINUTE = Limit.tokenBucket(10).perMinute();

  private static String name(String limiter, Limit limit, String key) {
    byte[] name = new BucketName("weir", limiter, limit).of(BucketName.tag(key));
    return new String(name, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ann                 | weir:login:t60000:{ann}
          ip:10.0.0.1         | weir:login:t60000:{ip:10.0.0.1}
          Zoë ☂               | weir:login:t60000:{Zoë ☂}
          100%                | weir:login:t60000:{100%25}
          {ann}               | weir:login:t60000:{%7Bann%7D}
          #1                  | weir:login:t60000:{%231}
          a#1                 | weir:login:t60000:{a#1}
          %                   | weir:login:t60000:{%25}
          ''                  | weir:login:t60000:{%}
          """)
  void aShortKeyCanBeRead(String key, String expected) {
    assertThat(name("login", PER_MINUTE, key)).isEqualTo(expected);
  }

  @Test
  void controlCharactersAndHalvesOfPairsAreEscaped() {
    assertThat(name("login", PER_MINUTE, "a\nb\u0000\u007f\u0085"))
        .isEqualTo("weir:login:t60000:{a%0Ab%00%7F%85}");
    assertThat(name("login", PER_MINUTE, "\ud83d")).isEqualTo("weir:login:t60000:{%uD83D}");
    assertThat(name("login", PER_MINUTE, "\ud83d\ude00")).endsWith("{\ud83d\ude00}");
  }

  @Test
  void theLimitersNameIsEscapedToo() {
    assertThat(name("a:b{c}%", PER_MINUTE, "k")).isEqualTo("weir:a%3Ab%7Bc%7D%25:t60000:{k}");
    assertThat(name("n".repeat(129), PER_MINUTE, "k")).matches("weir:#[0-9a-f]{32}:t60000:\\{k}");
  }

  @Test
  void suffixDistinguishesLimitsThatShareNoBuckets() {
    Duration quarter = Duration.ofMinutes(15);
    Map<Limit, String> suffixes =
        Map.of(
            Limit.tokenBucket(1).per(quarter), "t900000",
            Limit.leakyBucket(1).per(quarter), "l900000",
            Limit.fixedWindow(1).per(quarter), "f900000",
            Limit.fixedWindow(1).perDay().zone(ZoneId.of("Europe/Paris")), "fday@Europe/Paris",
            Limit.fixedWindow(1).perYear().zone(ZoneId.of("+01:00")), "fyear@+01%3A00",
            Limit.slidingWindow(1).per(quarter), "w900000",
            Limit.slidingEpochs(1).per(quarter).epochs(15), "e900000x15",
            Limit.slidingLog(1).per(quarter), "g900000",
            Limit.slidingLog(5).per(quarter).countingRejected(), "g900000");
    suffixes.forEach(
        (limit, suffix) ->
            assertThat(name("n", limit, "k"))
                .as("%s", limit)
                .isEqualTo("weir:n:" + suffix + ":{k}"));
  }

  @Test
  void noTwoKeysHaveOneName() {
    List<String> keys = new ArrayList<>();
    String[] pieces = {
      "a", "%", "%25", "{", "}", ":", "#", "\n", "\0", "\u0085", "é", "\ud83d", "\ude00", "%uD83D",
      "u", "7B", ""
    };
    for (String one : pieces) {
      for (String two : pieces) {
        for (String three : pieces) {
          keys.add(one + two + three);
        }
      }
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder key = new StringBuilder();
      for (long length = random.nextLong(1, 200); length > 0; length--) {
        key.append(random.nextInt(4) == 0 ? (char) random.nextInt(0x10000) : 'x');
      }
      keys.add(key.toString());
    }
    for (int length = 120; length < 140; length++) {
      keys.add("k".repeat(length));
      keys.add("é".repeat(length / 2));
      keys.add("%".repeat(length / 3));
    }
    Map<String, String> byName = new HashMap<>();
    for (String key : keys) {
      String other = byName.put(name("n", PER_MINUTE, key), key);
      assertThat(other == null || other.equals(key)).as("%s and %s", key, other).isTrue();
    }
  }

  @Test
  void aLongKeyIsHashedSoThatEveryNameIsShort() {
    String longest = "k".repeat(128);
    assertThat(name("n", PER_MINUTE, longest)).endsWith("{" + longest + "}");
    assertThat(name("n", PER_MINUTE, longest + "k")).matches("weir:n:t60000:\\{#[0-9a-f]{32}}");
    for (String key : List.of("k".repeat(1_000_000), "\ud800".repeat(1_000_000))) {
      assertThat(name("n", PER_MINUTE, key)).matches("weir:n:t60000:\\{#[0-9a-f]{32}}");
    }
  }

  @Test
  void allLimitsOfACallerLieInOneSlot() {
    List<Limit> limits = List.of(PER_MINUTE, Limit.slidingLog(5).perHour());
    for (String key : List.of("ann", "", "{}", "}{", "a}b", "{a", "k".repeat(500))) {
      byte[][] keys = ScriptPlan.of("my:weir", "n{}", limits).keys(key);
      int slot = SlotHash.getSlot(BucketName.tag(key));
      assertThat(keys).hasNumberOfRows(2);
      for (byte[] name : keys) {
        assertThat(SlotHash.getSlot(name)).as(key).isEqualTo(slot);
      }
    }
  }

  @Test
  void aPrefixThatWouldMoveTheSlotIsRefused() {
    assertThatThrownBy(() -> new BucketName("{weir}", "n", PER_MINUTE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefix")
        .hasMessageContaining("{weir}");
  }
}
