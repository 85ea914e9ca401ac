package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.redis.RedisSettings.Login;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Tls;
import io.weir.redis.RedisSettings.Topology;
import io.weir.redis.RedisSettings.Verify;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table of good and bad URLs. */
final class RedisSettingsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          # URL                                             | topology | shown
          redis://localhost                                 | SINGLE   | redis://localhost
          redis://localhost:6379                            | SINGLE   | redis://localhost
          redis://localhost/                                | SINGLE   | redis://localhost
          REDIS://localhost:7000/3                          | SINGLE   | redis://localhost:7000/3
          redis://localhost?db=3                            | SINGLE   | redis://localhost/3
          redis://[::1]:7000                                | SINGLE   | redis://[::1]:7000
          redis://[::1]                                     | SINGLE   | redis://[::1]
          redis://:secret@localhost                         | SINGLE   | redis://:***@localhost
          redis://ann:secret@localhost                      | SINGLE   | redis://ann:***@localhost
          redis://ann:a@b@localhost                         | SINGLE   | redis://ann:***@localhost
          rediss://localhost                                | SINGLE   | rediss://localhost
          redis://localhost?tls=true                        | SINGLE   | rediss://localhost
          redis-sentinel://a,b:5000,c#mymaster              | SENTINEL | redis-sentinel://a:26379,b:5000,c:26379#mymaster
          redis-sentinel://a/2#mymaster                     | SENTINEL | redis-sentinel://a:26379/2#mymaster
          redis-sentinel://a?master=mymaster                | SENTINEL | redis-sentinel://a:26379#mymaster
          redis-sentinel://a?tls=true#m                     | SENTINEL | redis-sentinel://a:26379?tls=true#m
          redis-cluster://a,b:7001                          | CLUSTER  | redis-cluster://a:6379,b:7001
          redis-cluster://:pw@a?tls=true                    | CLUSTER  | redis-cluster://:***@a:6379?tls=true
          unix:///run/redis.sock                            | SOCKET   | unix:///run/redis.sock
          unix:///run/redis.sock?db=2                       | SOCKET   | unix:///run/redis.sock?db=2
          unix://ann:secret@/run/redis.sock                 | SOCKET   | unix://ann:***@/run/redis.sock
          """)
  void readsUrls(String url, Topology topology, String shown) {
    RedisSettings settings = RedisSettings.parse(url);
    assertThat(settings.topology()).isEqualTo(topology);
    assertThat(settings).hasToString(shown);
    assertThat(RedisSettings.parse(url)).isEqualTo(settings).hasSameHashCodeAs(settings);
  }

  @Test
  void hasDefaults() {
    RedisSettings settings = RedisSettings.parse("redis://localhost");
    assertThat(settings.nodes()).containsExactly(new Node("localhost", 6379));
    assertThat(settings.database()).isZero();
    assertThat(settings.prefix()).isEqualTo("weir");
    assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(10));
    assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.connections()).isEqualTo(1);
    assertThat(settings.replicas()).isEmpty();
    assertThat(settings.clockStep()).isEqualTo(Duration.ofHours(1));
    assertThat(settings.leastNodes()).isEmpty();
    assertThat(settings.state()).isEmpty();
    assertThat(settings.clientName()).isEqualTo("weir");
    assertThat(settings.isTls()).isFalse();
    assertThat(settings.login()).isEqualTo(Login.NOBODY);
    assertThat(settings).isEqualTo(RedisSettings.of("localhost", 6379));
  }

  @Test
  void takesWhatKeepsTheNumberOfNodes() {
    RedisSettings settings =
        RedisSettings.parse("redis://a?state=/var/lib/weir/no%20des&nodes=3&clock_step=5m");
    assertThat(settings.state()).contains(Path.of("/var/lib/weir/no des"));
    assertThat(settings.leastNodes()).hasValue(3);
    assertThat(settings.clockStep()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void takesEveryParameter() {
    RedisSettings settings =
        RedisSettings.parse(
            "redis-sentinel://ann:p%40ss%2F%3A%25%C3%A9+@a/4?prefix=shop&timeout=250us"
                + "&connect_timeout=2s&sync=20ms&connections=3&tls=true&ca=/c/ca.pem&cert=/c/cert.pem"
                + "&key=/c/key.pem&key_password=k%26y&verify=ca&sentinel_user=guard"
                + "&sentinel_password=g@te&replicas=2&client_name=api-1#my%20master");
    assertThat(settings.login()).isEqualTo(new Login("ann", "p@ss/:%é+"));
    assertThat(settings.sentinelLogin()).isEqualTo(new Login("guard", "g@te"));
    assertThat(settings.database()).isEqualTo(4);
    assertThat(settings.master()).isEqualTo("my master");
    assertThat(settings.prefix()).isEqualTo("shop");
    assertThat(settings.timeout()).isEqualTo(Duration.ofNanos(250_000));
    assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.sync()).isEqualTo(Duration.ofMillis(20));
    assertThat(settings.connections()).isEqualTo(3);
    assertThat(settings.replicas()).hasValue(2);
    assertThat(settings.clientName()).isEqualTo("api-1");
    assertThat(settings.tls())
        .isEqualTo(
            new Tls(
                Path.of("/c/ca.pem"),
                Path.of("/c/cert.pem"),
                Path.of("/c/key.pem"),
                "k&y",
                Verify.CA));
  }

  @Test
  void isChangedBitByBit() {
    RedisSettings settings =
        RedisSettings.of("localhost", 7000)
            .withLogin("ann", "secret")
            .withDatabase(2)
            .withTls(Verify.CA)
            .withAuthority(Path.of("/ca.pem"))
            .withCertificate(Path.of("/cert.pem"), Path.of("/key.pem"), "")
            .withPrefix("shop")
            .withTimeout(Duration.ofMillis(5))
            .withConnectTimeout(Duration.ofMillis(300))
            .withConnections(2)
            .withReplicas(1)
            .withClientName("api");
    assertThat(settings)
        .isEqualTo(
            RedisSettings.parse(
                "rediss://ann:secret@localhost:7000/2?ca=/ca.pem&cert=/cert.pem&key=/key.pem"
                    + "&verify=ca&prefix=shop&timeout=5ms&connect_timeout=300ms&connections=2"
                    + "&replicas=1&client_name=api"))
        .hasToString("rediss://ann:***@localhost:7000/2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          # URL                                    | the error says
          localhost:6379                           | no scheme
          http://localhost                         | unknown scheme 'http'
          redis-clutser://localhost                | did you mean 'redis-cluster'
          redis://                                 | no host
          redis://:6379                            | no host before the ':'
          redis://,                                | no host
          redis://a,b                              | 2 hosts
          redis://a:port                           | port 'port' is not a number from 1 to 65535
          redis://a:0                              | port '0'
          redis://a:65536                          | port '65536'
          redis://a:                               | port ''
          redis://a:1:2                            | two ':'
          redis://[::1                             | [::1]:6379
          redis://[::1]x                           | [::1]:6379
          redis://a b                              | not a name or an address
          redis://a/one                            | database 'one' is not a whole number
          redis://a/-1                             | database '-1' is not a whole number
          redis://a/1/2                            | database '1/2' is not a whole number
          redis://a/1?db=2                         | parameter db is given twice
          redis://a#m                              | '#' names the primary of sentinels only
          redis://a?                               | ``
          redis://a?timeot=5ms                     | unknown parameter 'timeot'; did you mean 'timeout'?
          redis://a?colour=red                     | unknown parameter 'colour'; known are prefix
          redis://a?timeout                        | parameter timeout has no value
          redis://a?timeout=5                      | timeout '5' is not a duration such as 250ms or 2s
          redis://a?timeout=-5ms                   | timeout '-5ms' is not a duration
          redis://a?timeout=0ms                    | timeout 0ms is out of range
          redis://a?timeout=2m                     | timeout 120000ms is out of range
          redis://a?timeout=5ms&timeout=6ms        | parameter timeout is given twice
          redis://a?connect_timeout=soon           | connect_timeout 'soon' is not a duration
          redis://a?refusal_memory=61s             | refusal_memory 61000ms is out of range; give 0ms to 60s
          redis://a?refusal_memory=0ms             | ``
          redis://a?lease=60001ms                  | lease 60001ms is out of range; give 0ms to 60s
          redis://a?sync=999us                     | sync 0ms is out of range; give 1ms to 10s
          redis://a?sync=10001ms                   | sync 10001ms is out of range; give 1ms to 10s
          redis://a?lease=0ms                      | ``
          redis://a?nodes=0                        | nodes 0 is out of range; give 1 to 1048576
          redis://a?nodes=1048577                  | nodes 1048577 is out of range
          redis://a?clock_step=0s                  | ``
          redis://a?clock_step=24h                 | ``
          redis://a?clock_step=86401s              | clock_step 86401000ms is out of range; give 0s to 24h
          redis://a?clock_step=soon                | clock_step 'soon' is not a duration
          redis://a?state=                         | state is empty; name a file
          redis://a?connections=0                  | connections 0 is out of range; give 1 to 64
          redis://a?connections=65                 | connections 65 is out of range
          redis://a?connections=many               | connections 'many' is not a whole number
          redis://a?connections=99999999999        | connections '99999999999' is not a whole number
          redis://a?prefix=                        | prefix '' has 0 characters
          redis://a?prefix=a{b}                    | prefix 'a{b}' has a brace
          redis://a?prefix=a%20b                   | a blank
          redis://a?prefix=%zz                     | prefix has a '%' without two hexadecimal digits
          redis://a?prefix=%ff                     | prefix is not UTF-8
          redis://a?client_name=a%20b              | client_name 'a b'
          redis://a?verify=full                    | write rediss://
          redis-cluster://a?ca=/ca.pem             | write tls=true
          rediss://a?verify=maybe                  | verify 'maybe'; write full, ca or none
          rediss://a?tls=false                     | rediss is TLS; write redis://
          rediss://a?tls=yes                       | tls 'yes'; write true or false
          rediss://a?cert=/c.pem                   | cert without key
          rediss://a?key=/k.pem                    | key without cert
          rediss://a?key_password=hush             | key_password without key
          rediss://a?ca=                           | ca is empty; name a file
          redis://a?master=m                       | parameter master is for redis-sentinel:// only
          redis://a?sentinel_password=hush         | parameter sentinel_password is for redis-sentinel:// only
          redis-sentinel://a                       | no name of the primary
          redis-sentinel://a?master=x#y            | keep one
          redis-cluster://a/1                      | db 1 in a cluster
          redis-cluster://a?replicas=65            | replicas 65 is out of range
          unix://run/redis.sock                    | write three slashes
          unix://                                  | no path
          unix:///                                 | no path
          unix:///run/redis.sock?tls=true          | TLS on a Unix socket
          redis://@a                               | an '@' without user and password
          redis://hush@a                           | a user without a password
          redis://:hush%2@a                        | password has a '%'
          redis://:hush@a:hush2?timeot=1           | is not a number
          """)
  void refusesOthers(String url, String says) {
    if (says.isEmpty()) {
      RedisSettings.parse(url);
      return;
    }
    assertThatThrownBy(() -> RedisSettings.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(says)
        .message()
        .doesNotContain("hush@", "hush%")
        .doesNotContain("\n");
  }

  @Test
  void refusesWhatNoUrlCanSay() {
    RedisSettings settings = RedisSettings.of("a", 1);
    Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
    assertThatThrownBy(() -> settings.withRefusalMemory(ages))
        .hasMessageContaining("refusal_memory");
    assertThatThrownBy(() -> settings.withTimeout(ages)).hasMessageContaining("timeout PT");
    assertThatThrownBy(() -> settings.withRefusalMemory(Duration.ofMillis(-1)))
        .hasMessageContaining("refusal_memory -1ms is out of range");
    assertThatThrownBy(() -> settings.withLeastNodes(-1)).hasMessageContaining("nodes -1");
  }

  /** However the password is wrongly written, no part of it is shown. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://ann:hush/hush@a",
        "redis://ann:hush?hush@a",
        "redis://ann:hush#hush@a",
        "redis://ann:hush?hush#hush/hush@a",
        "redis://ann:hush?hush=@a",
        "redis://ann:12?hush@a",
        "redis://ann:12/hush@a",
        "redis://:hush/@a",
        "redis://:hush?timeout=1@a",
        "redis://ann:hush%zz@a",
        "redis://ann:hush@a?timeout=5",
        "redis://ann:hush@a?timeot=5ms",
        "redis-sentinel://ann:hush@a?sentinel_password=hush",
        "redis-sentinel://a?sentinel_password=hush%",
        "rediss://a?key_password=hush",
        "rediss://a?key=/k&cert=/c&key_password=hush%z",
        "redis-cluster://ann:hush@a/3",
        "ann:hush@redis://a",
        "redis://ann:12?timeout=hush@a",
        "redis://ann:12?hush=1&timeout=1@a",
        "redis-sentinel://a?sentinel_password=1&hush=1",
        "unix://ann:hush/1@/run/redis.sock"
      })
  void neverShowsThePassword(String url) {
    assertThatThrownBy(() -> RedisSettings.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .message()
        .doesNotContain("hush");
  }

  @Test
  void showsNoPasswordInAnyForm() {
    RedisSettings settings =
        RedisSettings.parse(
            "redis-sentinel://ann:hush@a?tls=true&sentinel_user=g&sentinel_password=hush"
                + "&cert=/c&key=/k&key_password=hush#m");
    assertThat(settings.toString() + settings.tls() + settings.login() + settings.sentinelLogin())
        .doesNotContain("hush");
  }
}
