package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** URLs of stores: settings or one error, which never shows a password. */
class RedisUrlFuzzTest implements FuzzTarget {
  private static final String SECRET = "s3cr3tW0rd";

  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "redis://h:6379/3?timeout=20ms&replicas=1",
            "rediss://u:p@h1,h2:7000?ca=/x&verify=none",
            "redis-sentinel://h1,[::1]:26379#master",
            "redis-cluster://h1:1,h2:2?prefix=a%2Fb",
            "unix:///tmp/redis.sock?db=2",
            "redis://h?password=x")
        .map(text -> text.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        "redis://", "rediss://", "redis-sentinel://", "unix:///", "?", "&", "timeout=", "%40");
  }

  @Override
  public void run(byte[] input) {
    String url = new String(input, UTF_8);
    attempt(url);
    int scheme = url.indexOf("://");
    if (scheme > 0) {
      String before = url.substring(0, scheme + 3);
      String message = attempt(before + "user:" + SECRET + "@" + url.substring(scheme + 3));
      assertThat(message).doesNotContain(SECRET);
    }
  }

  /** What is wrong with a URL; empty if nothing is. */
  private static String attempt(String url) {
    try {
      return RedisUrl.parse(url).toString();
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }
}
