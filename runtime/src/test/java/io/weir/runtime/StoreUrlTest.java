package io.weir.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Store;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The deadline of the settings reaches the store; one that stands in the URL wins. */
class StoreUrlTest {
  @ParameterizedTest
  @CsvSource({
    "memory, memory",
    "redis://h, redis://h?timeout=25ms",
    "redis://h:6379/2, redis://h:6379/2?timeout=25ms",
    "redis://h?prefix=a, redis://h?prefix=a&timeout=25ms",
    "redis://h?, redis://h?timeout=25ms",
    "redis://h?timeout=5ms, redis://h?timeout=5ms",
    "redis://h?prefix=a&timeout=5ms, redis://h?prefix=a&timeout=5ms",
    "redis://h?connect_timeout=5ms, redis://h?connect_timeout=5ms&timeout=25ms",
    "redis-sentinel://h:26379#main, redis-sentinel://h:26379?timeout=25ms#main",
    "unix:///run/redis.sock, unix:///run/redis.sock?timeout=25ms",
  })
  void theTimeoutIsAdded(String url, String expected) {
    assertThat(StoreUrl.with(Duration.ofMillis(25), url)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "memory, memory",
    "redis://h, redis://h?state=%2Fda%20ta%2Fnodes",
    "rediss://h?prefix=a, rediss://h?prefix=a&state=%2Fda%20ta%2Fnodes",
    "redis://h?state=/n, redis://h?state=/n",
    "redis://h?prefix=a&state=/n, redis://h?prefix=a&state=/n",
    "redis-sentinel://h:26379#main, redis-sentinel://h:26379?state=%2Fda%20ta%2Fnodes#main",
    "redis-cluster://h, redis-cluster://h?state=%2Fda%20ta%2Fnodes",
    "unix:///run/redis.sock, unix:///run/redis.sock?state=%2Fda%20ta%2Fnodes",
  })
  void fileInTheDataDirectoryIsAdded(String url, String expected) {
    assertThat(StoreUrl.with(Path.of("/da ta"), url)).isEqualTo(expected);
  }

  @Test
  void storeParsesTheUrl() {
    String url = StoreUrl.with(Duration.ofMillis(25), "redis://127.0.0.1:1?connect_timeout=50ms");
    try (Store store = Store.open(url)) {
      assertThat(store.toString()).contains("redis://127.0.0.1:1");
    }
  }

  @Test
  void showsHostButNotPassword() {
    assertThat(StoreUrl.shown("memory")).isEqualTo("memory");
    assertThat(StoreUrl.shown("redis://u:p%40ss@host:6379/3?password=x#y"))
        .isEqualTo("redis://host:6379");
    assertThat(StoreUrl.shown("redis://u:p@ss/w@host:6379")).isEqualTo("redis://host:6379");
    assertThat(StoreUrl.shown("redis-cluster://a:1,b:2?timeout=1s"))
        .isEqualTo("redis-cluster://a:1,b:2");
  }
}
