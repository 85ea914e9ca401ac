package io.weir.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Problem;
import io.weir.server.Forwarding;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings as users write them, and the messages for mistakes. */
class SettingsReaderTest {
  /** For each setting a value that is not its default. */
  private static final Map<Setting, String> SAMPLES = new EnumMap<>(Setting.class);

  static {
    SAMPLES.put(Setting.RULES, "rules.yaml");
    SAMPLES.put(Setting.UPSTREAM, "http://127.0.0.1:9000");
    SAMPLES.put(Setting.UPSTREAM_CA, "ca.pem");
    SAMPLES.put(Setting.UPSTREAM_CONNECTIONS, "16");
    SAMPLES.put(Setting.UPSTREAM_SHARE_PER_ADDRESS, "90");
    SAMPLES.put(Setting.UPSTREAM_SHARE_PER_CONNECTION, "60");
    SAMPLES.put(Setting.UPSTREAM_CONNECT_TIMEOUT, "1s");
    SAMPLES.put(Setting.UPSTREAM_TIMEOUT, "5s");
    SAMPLES.put(Setting.BODY_TIMEOUT, "10s");
    SAMPLES.put(Setting.MIN_BODY_RATE, "1000");
    SAMPLES.put(Setting.MIN_RESPONSE_RATE, "2000");
    SAMPLES.put(Setting.MAX_BODY, "10mb");
    SAMPLES.put(Setting.PRESERVE_HOST, "true");
    SAMPLES.put(Setting.CORS_ORIGINS, "https://shop.example, http://localhost:3000");
    SAMPLES.put(Setting.STORE, "redis://localhost:6380");
    SAMPLES.put(Setting.STORE_FILE, "store.secret");
    SAMPLES.put(Setting.STORE_TIMEOUT, "25ms");
    SAMPLES.put(Setting.DATA, "data");
    SAMPLES.put(Setting.MAX_KEYS, "5000");
    SAMPLES.put(Setting.MAX_CONNECTIONS, "500");
    SAMPLES.put(Setting.UNFINISHED_SHARE_PER_ADDRESS, "40");
    SAMPLES.put(Setting.BIND, "0.0.0.0");
    SAMPLES.put(Setting.GATEWAY_PORT, "9080");
    SAMPLES.put(Setting.SERVICE_PORT, "9081");
    SAMPLES.put(Setting.ADMIN_PORT, "9082");
    SAMPLES.put(Setting.ADMIN_BIND, "::1");
    SAMPLES.put(Setting.HEALTH_PORT, "9083");
    SAMPLES.put(Setting.ADMIN_TOKEN, "s3cret");
    SAMPLES.put(Setting.ADMIN_TOKEN_FILE, "token.secret");
    SAMPLES.put(Setting.SERVICE_TOKEN, "s3cret");
    SAMPLES.put(Setting.SERVICE_TOKEN_FILE, "token.secret");
    SAMPLES.put(Setting.GATEWAY_TLS_CERT, "cert.pem");
    SAMPLES.put(Setting.GATEWAY_TLS_KEY, "key.pem");
    SAMPLES.put(Setting.SERVICE_TLS_CERT, "cert.pem");
    SAMPLES.put(Setting.SERVICE_TLS_KEY, "key.pem");
    SAMPLES.put(Setting.SERVICE_TLS_CLIENT_CA, "ca.pem");
    SAMPLES.put(Setting.TRUSTED_PROXIES, "10.0.0.0/8, 2001:db8::/32");
    SAMPLES.put(Setting.PROXY_PROTOCOL, "true");
    SAMPLES.put(Setting.ENCODED_SLASHES, "true");
    SAMPLES.put(Setting.AUTH_TRUSTED_PEERS, "192.168.0.0/16");
    SAMPLES.put(Setting.HEADERS, "ratelimit,retry-after");
    SAMPLES.put(Setting.RESET_UNIT, "delta-seconds");
    SAMPLES.put(Setting.ENVOY_COUNTING, "true");
    SAMPLES.put(Setting.ENVOY_QUOTA, "true");
    SAMPLES.put(Setting.ENVOY_SHADOW, "true");
    SAMPLES.put(Setting.ENVOY_METADATA, "true");
    SAMPLES.put(Setting.DRAIN, "3s");
    SAMPLES.put(Setting.LOG_FORMAT, "json");
    SAMPLES.put(Setting.LOG_LEVEL, "warn");
    SAMPLES.put(Setting.ACCESS_LOG, "stdout");
    SAMPLES.put(Setting.ACCESS_LOG_FORMAT, "json");
    SAMPLES.put(Setting.ACCESS_LOG_SAMPLE, "12.5");
  }

  @TempDir private Path dir;

  @BeforeEach
  void writeFiles() throws IOException {
    for (String name : List.of("rules.yaml", "cert.pem", "key.pem", "ca.pem")) {
      Files.writeString(dir.resolve(name), "");
    }
    Files.writeString(dir.resolve("token.secret"), "s3cret\n");
    Files.writeString(dir.resolve("store.secret"), "redis://localhost:6380\n");
    Files.createDirectory(dir.resolve("data"));
  }

  @Test
  void startsTheDemonstrationWithoutSettings() {
    assertThat(SettingsReader.read(Map.of(), Map.of(), null).serverSettings())
        .contains(SettingsReader.DEFAULTS);
  }

  /** All at once, since some need each other: the same from flags, environment and file. */
  @Test
  void everySettingCanBeWrittenInThreePlaces() throws IOException {
    Map<Setting, List<String>> flags = new EnumMap<>(Setting.class);
    Map<String, String> environment = new HashMap<>();
    StringBuilder file = new StringBuilder();
    for (Setting setting : Setting.values()) {
      String value = SAMPLES.get(setting);
      assertThat(value).as("a sample of %s", setting).isNotNull();
      if (setting.isFileOfAnother()) {
        continue; // not beside the secret itself; see SecretSettingsTest
      }
      String found = Files.exists(dir.resolve(value)) ? dir.resolve(value).toString() : value;
      flags.put(setting, List.of(found));
      environment.put(setting.variable(), found);
      file.append(setting.key()).append(": \"").append(value).append("\"\n"); // beside the file
    }
    Path config = Files.writeString(dir.resolve("weir.yaml"), file);

    ServerSettings byFlag = read(flags, Map.of(), null);
    assertThat(read(Map.of(), environment, null)).isEqualTo(byFlag);
    assertThat(read(Map.of(), Map.of(), config)).isEqualTo(byFlag);
    assertThat(byFlag.rules()).containsExactly(dir.resolve("rules.yaml"));
    assertThat(byFlag.trustedProxies()).hasSize(2);
    assertThat(byFlag.headers().families()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"0.1%, 0.1", "0.1, 0.1", "100%, 100", "'25 %', 25"})
  void shareMayEndWithAPercentSign(String given, double percent) {
    assertThat(read(Map.of(Setting.ACCESS_LOG_SAMPLE, List.of(given)), Map.of(), null))
        .extracting(serverSettings -> serverSettings.access().percent())
        .isEqualTo(percent);
  }

  /** Each of them does something: none is read and then dropped. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "RULES", // a path, which is beside the file
        "DATA", // another
        "STORE_FILE",
        "ADMIN_TOKEN_FILE",
        "SERVICE_TOKEN_FILE",
        "UPSTREAM_CA",
        "GATEWAY_TLS_CERT",
        "GATEWAY_TLS_KEY",
        "SERVICE_TLS_CERT",
        "SERVICE_TLS_KEY",
        "SERVICE_TLS_CLIENT_CA",
        "PROXY_PROTOCOL" // which needs trusted_proxies
      })
  void aFlagBeatsTheEnvironmentWhichBeatsTheFile(Setting setting) throws IOException {
    String other = SAMPLES.get(setting);
    Path config = Files.writeString(dir.resolve("weir.yaml"), setting.key() + ": '" + other + "'");
    ServerSettings changed = read(Map.of(), Map.of(), config);
    assertThat(changed).isNotEqualTo(SettingsReader.DEFAULTS);

    String wrong = "\u0000 wrong";
    assertThat(read(Map.of(setting, List.of(other)), Map.of(setting.variable(), wrong), config))
        .isEqualTo(changed);
    Files.writeString(config, setting.key() + ": ' , '");
    assertThat(read(Map.of(), Map.of(setting.variable(), other), config)).isEqualTo(changed);
  }

  @Test
  void theProxyProtocolNeedsProxiesThatAreTrusted() {
    assertThat(
            SettingsReader.read(Map.of(Setting.PROXY_PROTOCOL, List.of("true")), Map.of(), null)
                .serverSettings())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          admin_prot: 1               | 1:1: unknown key 'admin_prot'; did you mean 'admin_port'?
          nothing: 1                  | 1:1: unknown key 'nothing'
          admin_token:s3cret: 1       | 1:1: unknown key what stands here
          config: other.yaml          | 1:1: unknown key 'config'
          admin_port: 8o82            | 1:13: admin_port '8o82' must be a whole number from 0 to 65535
          admin_port: 65536           | 1:13: admin_port '65536' must be a whole number from 0 to 65535
          admin_port: -1              | 1:13: admin_port '-1' must be a whole number from 0 to 65535
          admin_port:                 | 1:12: 'admin_port' has no value; leave it out, or give it one
          admin_port: [1, 2]          | 1:14: admin_port takes one value
          admin_port: { a: 1 }        | 1:13: 'admin_port' must be a single value, or a list of such
          admin_token: ""             | 1:14: admin_token is empty; give it a value, or leave it out
          admin_token: "s3c ret"      | 1:14: admin_token has a blank or a character beyond ASCII, which no header can carry
          admin_token: *s3cret        | 1:14: '…' repeats a value that has no name; quote a text that starts with '*'
          admin_token: !s3cret x      | 1:14: tags such as '…' are not supported; remove it
          admin_token: "s3c\\0ret"    | 1:14: control character in '…'; remove it
          admin_token: %s3cret        | 1:14: a text cannot start with this character; quote it
          admin_token: !s3!cret x     | 1:14: not YAML; quote the text
          store: "cluster:"           | 1:8: store cluster: comes later; use memory or redis://host:6379
          store: mem                  | 1:8: store is no store; write memory or redis://host:6379
          store: redis://:s3cret@h:x  | 1:8: store redis URL: port 'x' is not a number from 1 to 65535; a password goes before an '@'
          store_timeout: 10           | 1:16: store_timeout '10' is no length of time; write 250ms, 30s or 15m
          store_timeout: 0ms          | 1:16: store_timeout '0ms' must be from 1ms to 60s
          upstream: localhost:9000    | 1:11: upstream is no URL of a server; write http://127.0.0.1:9000
          upstream: http://u:s3cret@h | 1:11: upstream must be a URL without user, query and fragment
          upstream: "http://s3cret ^" | 1:11: upstream is no URL; write http://127.0.0.1:9000
          upstream: ftp://127.0.0.1   | 1:11: upstream is no URL of a server; write http://127.0.0.1:9000
          upstream: http://a,http://a | 1:11: upstream has the same URL twice
          max_body: 10 apples         | 1:11: max_body '10 apples' is no size; write 512kb, 10mb, 2gb or unlimited
          cors_origins: shop.example  | 1:15: cors_origins 'shop.example' is no origin; write https://shop.example, or * for all
          routes: http://h            | 1:9: 'routes' must be a list of maps
          routes: [ http://h ]        | 1:11: an item of 'routes' must be a map
          routes: [ { path: /a } ]    | 1:11: a route needs 'upstreams': one URL, or a list of them
          routes: [ { pth: /a } ]     | 1:13: unknown key 'pth' of a route; did you mean 'path'?
          routes: [ { upstreams: h } ] | 1:24: upstreams is no URL of a server; write http://127.0.0.1:9000
          routes: [ { path: /a/, upstreams: "http://h" } ] | 1:19: path '/a/' is not how paths are compared; write '/a'
          routes: [ { path: /a%2fb, upstreams: "http://h" } ] | 1:19: path '/a%2fb' is no path that all understand alike: the path has an encoded slash (%2F)
          routes: [ { host: "h:80", upstreams: "http://h" } ] | 1:19: host 'h:80' is no host; write shop.example or *.shop.example, without a port
          routes: [ { upstreams: "http://h" }, { path: /, upstreams: "http://i" } ] | 1:38: there is a route for any host / already, in line 1
          rotes: []                   | 1:1: unknown key 'rotes'; did you mean 'routes'?
          trusted_proxies: 10.0.0.1/8 | 1:18: trusted_proxies 10.0.0.1/8 has host bits; did you mean 10.0.0.0/8?
          trusted_proxies: [a]        | 1:19: trusted_proxies 'a' is not a network: 'a' is not an address (10.0.0.0/8, 2001:db8::/32)
          headers: ratelimti          | 1:10: headers 'ratelimti' is unknown; did you mean 'ratelimit'?
          headers: all,               | 1:10: headers has an empty item; give it a value, or leave it out
          reset_unit: days            | 1:13: reset_unit 'days' is unknown; valid are epoch-seconds, epoch-millis, delta-seconds, http-date
          envoy_quota: yes            | 1:14: envoy_quota 'yes' must be true or false
          drain: 2h                   | 1:8: drain '2h' must be from 0ms to 3600s
          access_log_sample: 101%     | 1:20: access_log_sample '101%' must be a percentage above 0% and at most 100%, such as 0.1%
          log_format: jsn             | 1:13: log_format 'jsn' is unknown; did you mean 'json'?
          max_keys: 0                 | 1:11: max_keys '0' must be a whole number from 1 to 2147483648
          bind: 1.2.3.4.5             | 1:7: bind '1.2.3.4.5' is no address; write 127.0.0.1, 0.0.0.0, ::1 or ::
          rules: none.yaml            | 1:8: rules 'DIR/none.yaml' does not exist
          service_tls_cert: .         | 1:19: service_tls_cert 'DIR/.' is a directory; name a file
          just a text                 | 1:1: settings must be a map of keys and values
          """)
  void reportsMistakesInAFileWithTheirPlace(String line, String message) throws IOException {
    Path config = Files.writeString(dir.resolve("weir.yaml"), line + "\n");

    SettingsReader.Result result = SettingsReader.read(Map.of(), Map.of(), config);

    assertThat(result.serverSettings()).isEmpty();
    assertThat(result.problems()).isEmpty();
    assertThat(result.inFile().stream().map(Problem::toString))
        .containsExactly(config + ":" + message.replace("DIR", dir.toString()))
        .noneMatch(text -> text.contains("s3c"));
  }

  @Test
  void reportsAllProblemsAtOnce() throws IOException {
    Path config =
        Files.writeString(
            dir.resolve("weir.yaml"), "drain: soon\nadmin_prot: 1\nstore: mem\ndrain: 1s\n");

    SettingsReader.Result result =
        SettingsReader.read(
            Map.of(Setting.BIND, List.of("nowhere.invalid")),
            Map.of("WEIR_ADMIN_PORT", "x", "WEIR_SERVICE_TOKEN", ""),
            config);

    assertThat(result.problems())
        .containsExactly(
            "--bind 'nowhere.invalid' is no address; write 127.0.0.1, 0.0.0.0, ::1 or ::",
            "WEIR_ADMIN_PORT 'x' must be a whole number from 0 to 65535",
            "WEIR_SERVICE_TOKEN is empty; give it a value, or leave it out");
    assertThat(result.inFile().stream().map(problem -> problem.sourceLocation().line()))
        .containsExactly(4); // a file with a duplicate key is not read any further
  }

  @Test
  void problemsInAFileComeInItsOrder() throws IOException {
    Path config =
        Files.writeString(dir.resolve("weir.yaml"), "store: mem\nadmin_prot: 1\nbind: ':x'\n");
    assertThat(SettingsReader.read(Map.of(), Map.of(), config).inFile())
        .extracting(problem -> problem.sourceLocation().line())
        .containsExactly(1, 2, 3);
  }

  static Stream<Map<Setting, List<String>>> apart() {
    return Stream.of(
        Map.of(Setting.SERVICE_PORT, List.of("8080")),
        Map.of(Setting.ADMIN_PORT, List.of("8081")),
        Map.of(Setting.SERVICE_TLS_KEY, List.of("pom.xml")),
        Map.of(Setting.SERVICE_TLS_CLIENT_CA, List.of("pom.xml")));
  }

  @ParameterizedTest
  @MethodSource("apart")
  void rejectsConflictingSettings(Map<Setting, List<String>> flags) {
    SettingsReader.Result result = SettingsReader.read(flags, Map.of(), null);
    assertThat(result.serverSettings()).isEmpty();
    assertThat(result.problems()).hasSize(1);
  }

  @Test
  void routesAreRead() throws IOException {
    Path config =
        Files.writeString(
            dir.resolve("weir.yaml"),
            """
            upstream: [http://a:1, "h2c://b:2"]
            routes:
              - path: /api
                upstreams: [http://c:3, https://d]
              - host: "*.Shop.example"
                upstreams: http://e
            """);
    assertThat(read(Map.of(), Map.of(), config).forwarding().upstreams())
        .containsExactly(URI.create("http://a:1"), URI.create("h2c://b:2"));
    assertThat(read(Map.of(), Map.of(), config).forwarding().routes())
        .containsExactly(
            new Forwarding.Route(
                Optional.empty(),
                "/api",
                List.of(URI.create("http://c:3"), URI.create("https://d"))),
            new Forwarding.Route(
                Optional.of("*.shop.example"), "/", List.of(URI.create("http://e"))));
  }

  @Test
  void anEmptyFileSetsNothing() throws IOException {
    Path config = Files.writeString(dir.resolve("weir.yaml"), "# nothing\n\n");
    assertThat(read(Map.of(), Map.of(), config)).isEqualTo(SettingsReader.DEFAULTS);
  }

  @Test
  void secretsAreNeverPrinted() {
    ServerSettings serverSettings =
        read(
            Map.of(
                Setting.ADMIN_TOKEN, List.of("s3cret"),
                Setting.SERVICE_TOKEN, List.of("s3cret"),
                Setting.STORE, List.of("redis://:s3cret@localhost")),
            Map.of(),
            null);
    assertThat(serverSettings.admin().token()).contains(new ServerSettings.Secret("s3cret"));
    assertThat(serverSettings.toString() + serverSettings.admin() + serverSettings.service())
        .doesNotContain("s3cret");
    assertThat(new RawSetting(List.of("s3cret"), dir).toString()).doesNotContain("s3cret");
  }

  private static ServerSettings read(
      Map<Setting, List<String>> flags, Map<String, String> environment, Path config) {
    SettingsReader.Result result = SettingsReader.read(flags, environment, config);
    assertThat(result.problems()).isEmpty();
    assertThat(result.inFile()).isEmpty();
    return result.serverSettings().orElseThrow();
  }
}
