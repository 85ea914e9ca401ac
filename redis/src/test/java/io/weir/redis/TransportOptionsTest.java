package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.redis.RedisFailure.Kind;
import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.SharedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unix sockets, TLS, databases. */
final class TransportOptionsTest {
  private static final CertificateAuthority AUTHORITY = new CertificateAuthority("ours");
  private static final CertificateAuthority STRANGER = new CertificateAuthority("theirs");
  private static final CertificateAuthority.Identity CLIENT = AUTHORITY.issue("client");
  private static RedisProcess openRedis;
  private static RedisProcess acquainted;

  @BeforeAll
  static void start() {
    Optional<RedisProgram> program = RedisProgram.system();
    if (program.isPresent()) {
      try {
        openRedis =
            RedisProcess.startWithTls(program.get(), AUTHORITY.issue("server"), AUTHORITY, "no");
        acquainted =
            RedisProcess.startWithTls(
                program.get(), AUTHORITY.issueForHost("other", "redis.test"), AUTHORITY, "yes");
      } catch (IllegalStateException withoutTls) {
        openRedis = null;
      }
    }
  }

  @AfterAll
  static void stop() {
    if (openRedis != null) {
      openRedis.close();
    }
    if (acquainted != null) {
      acquainted.close();
    }
  }

  private static String url(RedisProcess redis, String host, String parameters) {
    return "rediss://" + host + ":" + redis.tlsPort() + "?" + parameters;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          127.0.0.1 | ca=OURS              | fine
          localhost | ca=OURS              | fine
          127.0.0.1 | ca=OURS&verify=ca    | fine
          127.0.0.1 | verify=none          | fine
          127.0.0.1 | ca=THEIRS&verify=none| fine
          127.0.0.1 | verify=full          | certif
          127.0.0.1 | ca=THEIRS            | certif
          127.0.0.1 | ca=THEIRS&verify=ca  | certif
          """)
  void checksTheIssuerOfTheCertificate(String host, String parameters, String outcome)
      throws Exception {
    assumeTrue(openRedis != null, "no redis-server with TLS is installed");
    connects(url(openRedis, host, files(parameters)), outcome);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ca=OURS&verify=ca&CLIENT | fine
          ca=OURS&CLIENT           | No subject alternative names matching IP address
          ca=OURS&verify=ca        | is lost
          """)
  void checksTheHostAndShowsItsCertificate(String parameters, String outcome) throws Exception {
    assumeTrue(acquainted != null, "no redis-server with TLS is installed");
    connects(url(acquainted, "127.0.0.1", files(parameters)), outcome);
  }

  private static String files(String parameters) {
    return parameters
        .replace("OURS", AUTHORITY.certificate().toString())
        .replace("THEIRS", STRANGER.certificate().toString())
        .replace("CLIENT", "cert=" + CLIENT.certificate() + "&key=" + CLIENT.key());
  }

  private static void connects(String url, String outcome) throws Exception {
    try (TestTransport link = TestTransport.connectedOrNot(url)) {
      if (outcome.equals("fine")) {
        link.awaitUp();
        assertThat(link.count("tls", 1).result()[1]).isEqualTo(1);
      } else {
        assertThat(link.breaker().isUp()).isFalse();
        assertThat(link.breaker().lastLost().kind()).isEqualTo(Kind.DISCONNECTED);
        assertThat(link.breaker().lastLost().message()).contains(outcome);
      }
    }
  }

  @Test
  void failsWhereTlsIsNotSpokenAndTheOtherWayRound() {
    assumeTrue(openRedis != null, "no redis-server with TLS is installed");
    String plain = "rediss://127.0.0.1:" + openRedis.port() + "?verify=none";
    String crypted = "redis://127.0.0.1:" + openRedis.tlsPort();
    for (String url : new String[] {plain, crypted}) {
      try (TestTransport link =
          new TestTransport(url + (url.contains("?") ? "&" : "?") + "connect_timeout=500ms")) {
        Await.holds("reported", () -> !link.breaker().lost.isEmpty());
        assertThat(link.breaker().isUp()).isFalse();
      }
    }
  }

  @Test
  void rejectsUnusableTlsFilesAtOnce(@TempDir Path directory) throws Exception {
    Path empty = Files.createFile(directory.resolve("empty.pem"));
    Path garbage = Files.writeString(directory.resolve("garbage.pem"), "no PEM");
    String missing = directory.resolve("missing.pem").toString();
    assertThatThrownBy(() -> new TestTransport("rediss://a?ca=" + missing))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ca '" + missing + "' does not exist");
    assertThatThrownBy(() -> new TestTransport("rediss://a?ca=" + directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ca '" + directory + "' cannot be read");
    for (Path file : new Path[] {empty, garbage}) {
      assertThatThrownBy(() -> new TestTransport("rediss://a?ca=" + file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("TLS: one of ca, cert and key cannot be used");
    }
    assertThatThrownBy(
            () -> new TestTransport("rediss://a?cert=" + CLIENT.certificate() + "&key=" + missing))
        .hasMessageContaining("key '" + missing + "' does not exist");
    assertThatThrownBy(
            () -> new TestTransport("rediss://a?cert=" + CLIENT.certificate() + "&key=" + garbage))
        .hasMessageContaining("PKCS #8");
  }

  @Test
  void speaksThroughAUnixSocket() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    try (TestTransport link = TestTransport.connected("unix://" + redis.socket() + "?db=5")) {
      assertThat(link.count("k", 3).result()[0]).isEqualTo(3);
    }
    assertThat(redis.info("keyspace", "db5")).startsWith("keys=1");
    try (TestTransport link = TestTransport.connectedOrNot("unix:///nowhere/redis.sock")) {
      assertThat(link.breaker().lastLost().kind()).isEqualTo(Kind.DISCONNECTED);
      assertThat(link.breaker().lastLost().message()).contains("/nowhere/redis.sock");
    }
  }

  @Test
  void usesTheDatabaseThatIsNamed() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    try (TestTransport link = TestTransport.connected(redis.url() + "/7")) {
      link.count("k", 1).result();
    }
    assertThat(redis.info("keyspace", "db7")).startsWith("keys=1");
    try (TestTransport link = TestTransport.connectedOrNot(redis.url() + "/99")) {
      assertThat(link.breaker().lastLost().message()).contains("DB index is out of range");
    }
  }

  @Test
  void reportsUnknownHost() {
    try (TestTransport link =
        TestTransport.connectedOrNot("redis://no-such-host.invalid:6379?connect_timeout=1s")) {
      assertThat(link.breaker().lastLost().message()).contains("no-such-host.invalid");
    }
  }
}
