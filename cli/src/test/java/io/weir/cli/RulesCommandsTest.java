package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code check}, {@code explain} and {@code test} as a person types them. */
class RulesCommandsTest {
  private static final String NOW = "--at=2026-09-21T14:14:20Z";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path directory;

  @BeforeEach
  void writeFiles() throws IOException {
    write(
        "shop.yaml",
        """
        domain: shop
        attributes:
          api_key: { header: X-API-Key }
          user:    { header: X-User-Id }
          tier:    { lookup: api_key, map: { k1: pro }, default: free }
          client:  { first_of: [api_key, ip] }
        rules:
          - name: login
            match: { method: POST, path: /login }
            per: ip
            limit: { algorithm: sliding-log, rate: 5 per minute }
          - name: client
            per: client
            exempt: [ { path: /health } ]
            limit: { rate: 10 per second, burst: 100 }
            overrides:
              - { match: { tier: free }, limit: { rate: 2 per second, burst: 20 } }
          - name: item
            match: { path: "/items/{id}", tier: [free, max] }
            per: [user, id]
            limit: 5 per second
          - name: tried
            mode: shadow
            limit: { algorithm: fixed-window, rate: 1 per minute }
          - name: gone
            mode: off
            limit: 1 per second
        """);
    write("bad.yaml", "rules:\n  - { name: a, limit: 1 pr s }\n  - { nam: b, limit: 1/s }\n");
    write("broken.yaml", "rules: [");
    write(
        "good.test.yaml",
        """
        rules: shop.yaml
        cases:
          - name: first
            request: POST /login
            from: 10.0.0.1
            requests: [ { repeat: 5, expect: allowed }, { expect: refused, rule: login } ]
        """);
    write(
        "failing.test.yaml",
        """
        given: { rules: [ { name: all, limit: 1 per minute } ] }
        cases:
          - { name: good, requests: [ { expect: allowed, remaining: 0 } ] }
          - { name: wrong, requests: [ { repeat: 2, expect: allowed } ] }
        """);
    write("bad.test.yaml", "rules: shop.yaml\ncases: [ { name: a, requests: [ { art: 1s } ] } ]\n");
    Files.createDirectory(directory.resolve("empty"));
  }

  @ParameterizedTest(name = "weir {0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          check                                        | weir check: RULES is missing; see weir check --help
          check nope.yaml                              | weir check: no such file: DIR/nope.yaml
          check shop.yaml nope                         | weir check: no such file: DIR/nope
          check --hlep shop.yaml                       | weir check: unknown option '--hlep'; did you mean '--help'?
          explain                                      | weir explain: --rules FILE_OR_DIR and METHOD and URL are missing; see weir explain --help
          explain GET /                                | weir explain: --rules FILE_OR_DIR is missing; see weir explain --help
          explain --rules shop.yaml GET                | weir explain: URL is missing; see weir explain --help
          explain --rules nope.yaml GET /              | weir explain: no such file: DIR/nope.yaml
          explain --rule shop.yaml GET /               | weir explain: unknown option '--rule'; did you mean '--rules'?
          explain --rules shop.yaml /a GET             | weir explain: the method comes first: weir explain --rules FILE GET /a
          explain --rules shop.yaml G(T /              | weir explain: 'G(T' is no method of HTTP; write GET, POST and so on
          explain --rules shop.yaml GET shop/a         | weir explain: 'shop/a' is no URL; write https://host/path, or only /path
          explain --rules shop.yaml GET ftp://a/       | weir explain: 'ftp://a/' is no http or https URL; write https://host/path, or only /path
          explain --rules shop.yaml GET / more         | weir explain: unexpected argument 'more'
          explain --rules shop.yaml GET / -H none      | 'none' is no header; write 'Name: value' in quotes
          explain --rules shop.yaml GET / -H (a):b     | '(a)' is no name of a header
          explain --rules shop.yaml GET / --ip nobody  | weir explain: --ip 'nobody' is no address
          explain --rules shop.yaml GET / --at noon    | 'noon' is no moment; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00
          explain --rules shop.yaml GET / --at 9999-01-01T00:00:00Z | is too far away; the years are 1700 to 2200
          explain --rules shop.yaml GET / --nth 0      | weir explain: --nth must be from 1 to 1000000
          explain --rules shop.yaml GET / --nth many   | 'many' is no whole number
          explain --rules shop.yaml GET / --cost -1    | weir explain: --cost must not be negative
          test                                         | weir test: CASES is missing; see weir test --help
          test nope.yaml                               | weir test: no such file: DIR/nope.yaml
          test empty                                   | weir test: DIR/empty is a directory; name a file
          """)
  void wrongUseIsOneLineAndExitCode2(String arguments, String message) {
    assertThat(weir(arguments.split(" +"))).isEqualTo(2);
    assertThat(err.toString()).contains(message.replace("DIR/", directory + "/"));
    assertThat(err.toString()).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"check", "explain", "test"})
  void helpHasAnExampleAndGoesToStdout(String command) {
    assertThat(weir(command, "--help")).isZero();
    assertThat(out.toString()).contains("Usage: weir " + command, "Example", "  weir " + command);
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest(name = "weir {0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          explain --rules broken.yaml GET / | DIR/broken.yaml:1:9: a value is missing here
          explain --rules empty GET /       | DIR/empty:1:1: no rule files here: none that ends in .yaml or .yml
          test bad.test.yaml                | DIR/bad.test.yaml:2:35: unknown field 'art' of a request; did you mean 'at'?
          test shop.yaml                    | DIR/shop.yaml:1:1: this is a file of rules; tests belong in a file of their own
          test broken.yaml good.test.yaml   | DIR/broken.yaml:1:9: a value is missing here
          """)
  void reportsErrorsInFilesWithExitCode1(String arguments, String message) {
    assertThat(weir(arguments.split(" +"))).isEqualTo(1);
    assertThat(err.toString()).hasLineCount(1);
    assertThat(err.toString().strip()).isEqualTo(message.replace("DIR/", directory + "/"));
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void checkReportsAllErrorsOfAllFiles() {
    assertThat(weir("check", "bad.yaml", "broken.yaml", "shop.yaml")).isEqualTo(1);
    assertThat(err.toString().lines())
        .hasSizeGreaterThanOrEqualTo(3)
        .allMatch(line -> line.matches(".*\\.yaml:\\d+:\\d+: .+"))
        .anyMatch(line -> line.contains("did you mean 'name'?"))
        .anyMatch(line -> line.contains("broken.yaml:1:9"));
    assertThat(out.toString().strip()).matches("3 files: \\d errors");
  }

  @Test
  void checkReportsWarningsAndSucceeds() throws IOException {
    write("warned.yaml", "rules: [ { name: a, match: { usr: x }, limit: 1 per second } ]");
    assertThat(weir("check", "warned.yaml")).isZero();
    assertThat(err.toString().lines()).isNotEmpty().allMatch(line -> line.contains(": warning: "));
    assertThat(out.toString()).matches("(?s)1 file, 1 rule, 1 domain: no errors, \\d warnings?\\R");
  }

  @Test
  void checkLeavesTestsOutOfADirectory() throws IOException {
    Path rules = Files.createDirectory(directory.resolve("d"));
    Files.writeString(rules.resolve("a.yaml"), "rules: [ { name: a, per: ip, limit: 1/s } ]");
    Files.copy(directory.resolve("good.test.yaml"), rules.resolve("a.test.yaml"));
    assertThat(weir("check", "d")).isZero();
    assertThat(out.toString()).startsWith("1 file, 1 rule, 1 domain: no errors");
  }

  @Test
  void explainListsEachRule() {
    assertThat(
            weir(
                "explain",
                "--rules=shop.yaml",
                NOW,
                "POST",
                "https://shop.example/login?x=1#y",
                "-H",
                "X-API-Key: k9",
                "--ip=10.0.0.7"))
        .isZero();
    assertThat(shown())
        .containsExactly(
            "POST /login?x=1 from 10.0.0.7",
            "",
            "Attributes of domain shop",
            "  ip       10.0.0.7",
            "  method   POST",
            "  path     /login",
            "  host     shop.example",
            "  api_key  k9            from header X-API-Key",
            "  user     -             absent: no header X-User-Id",
            "  client   k9            the first of api_key, ip, here api_key",
            "  tier     free          the default: api_key k9 is not in the table",
            "",
            "Rules of domain shop",
            "  ✓ login applies  DIR/shop.yaml:8:11",
            "      match  {method: POST, path: /login}",
            "      key    10.0.0.7, by ip",
            "      cost   1",
            "      limit  sliding-log 5 per 1m",
            "  ✓ client applies  DIR/shop.yaml:12:11",
            "      key       k9, by client",
            "      cost      1",
            "      override  {tier: free}, DIR/shop.yaml:17:9",
            "      limit     token-bucket 2 per 1s, burst 20",
            "  · item does not match: path is /login, not /items/{id}",
            "  ✓ tried applies, in shadow mode: it is charged, but never refuses  DIR/shop.yaml:22:11",
            "      key    none: one bucket for all",
            "      cost   1",
            "      limit  fixed-window 1 per 1m",
            "  · gone is off",
            "",
            "Decision",
            "  a first request would be allowed by login, with 4 of 5 left",
            "  shadow rule tried would allow it as well",
            "",
            "Response: as it comes from behind the limiter, and",
            "  X-RateLimit-Limit: 5",
            "  X-RateLimit-Remaining: 4",
            "  X-RateLimit-Reset: 1790000120",
            "  RateLimit-Policy: \"login\";q=5;w=60, \"client\";q=20;w=10",
            "  RateLimit: \"login\";r=4;t=60, \"client\";r=19;t=1");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void explainShowsARefusal() {
    assertThat(weir("explain", "--rules=shop.yaml", NOW, "--nth=6", "POST", "/login")).isZero();
    assertThat(shown())
        .contains(
            "  request 6 of 6 at one moment would be refused by login, and would fit after 60.0 s",
            "  HTTP/1.1 429 Too Many Requests",
            "  Retry-After: 60",
            "  {\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry after"
                + " 60 seconds.\",\"retry_after_seconds\":60,\"rule\":\"login\"}");
  }

  @Test
  void explainReportsWhyARuleDoesNotApply() {
    weir("explain", "--rules=shop.yaml", NOW, "GET", "/items/7");
    assertThat(shown())
        .contains(
            "  · login does not match: method is GET, not POST",
            "  · item does not cover this request: it is per user, and the request has no user",
            "  client   127.0.0.1  the first of api_key, ip, here ip");

    weir("explain", "--rules=shop.yaml", NOW, "GET", "/items/7", "-H", "X-User-Id: u");
    assertThat(shown())
        .contains("      id     7, from the path", "      key    u|7, by user and id");

    weir("explain", "--rules=shop.yaml", NOW, "GET", "/items/7", "-H", "X-API-Key: k1");
    assertThat(shown()).contains("  · item does not match: tier is pro, none of free, max");

    weir("explain", "--rules=shop.yaml", NOW, "GET", "/health", "--nth=2");
    assertThat(shown())
        .contains(
            "  · client does not count this request: exempt {path: /health}",
            "  allowed: no enforced rule applies",
            "  shadow rule tried would refuse it if it were enforced",
            "  no rate limit headers, because no enforced rule applies");

    weir("explain", "--rules=shop.yaml", NOW, "POST", "/login", "--cost=6");
    assertThat(shown())
        .anyMatch(line -> line.endsWith("it costs more than the limit can ever give"));
  }

  @Test
  void explainShowsMalformedRequest() {
    assertThat(weir("explain", "--rules=shop.yaml", "GET", "/a%2fb")).isZero();
    assertThat(shown())
        .contains("  HTTP/1.1 400 Bad Request")
        .anyMatch(line -> line.startsWith("  malformed: the path"));

    weir("explain", "--rules=shop.yaml", "GET", "/", "-H", "x-api-key: a", "-H", "X-API-Key: b");
    assertThat(shown())
        .contains("  HTTP/1.1 400 Bad Request")
        .anyMatch(line -> line.startsWith("  malformed: header 'X-API-Key' is sent twice"));

    weir("explain", "--rules=shop.yaml", "GET", "/", "-H", "Accept: a", "-H", "Accept: b");
    assertThat(shown()).doesNotContain("  HTTP/1.1 400 Bad Request");
  }

  @Test
  void explainCountsTheRestOfManyRules() throws IOException {
    StringBuilder many = new StringBuilder("rules:\n");
    for (int i = 0; i < 1000; i++) {
      many.append(
          "  - { name: r%d, match: { path: /p%d }, limit: 1 per second }\n".formatted(i, i));
    }
    write("many.yaml", many.toString());
    weir("explain", "--rules=many.yaml", "GET", "/p7");
    assertThat(shown())
        .contains("  999 other rules do not match; --all lists them")
        .hasSizeLessThan(40);

    weir("explain", "--rules=many.yaml", "GET", "/p7", "--all");
    assertThat(shown()).contains("  · r999 does not match: path is /p7, not /p999");
  }

  @Test
  void testIsATestRunner() {
    assertThat(weir("test", "good.test.yaml", "failing.test.yaml")).isEqualTo(1);
    assertThat(shown())
        .containsExactly(
            "DIR/good.test.yaml",
            "  ✓ first",
            "DIR/failing.test.yaml",
            "  ✓ good",
            "  ✗ wrong",
            "      DIR/failing.test.yaml:4:32: request 2 of 2 at 0s: expected allowed,"
                + " was refused by 'all', retry after 1m",
            "",
            "2 passed, 1 failed");
    assertThat(err.toString()).isEmpty();

    assertThat(weir("test", "good.test.yaml")).isZero();
    assertThat(shown()).endsWith("1 passed, 0 failed");
  }

  @Test
  void theExamplesPass() {
    Path examples = Path.of("../examples");
    assertThat(run("test", examples.resolve("shop.test.yaml").toString())).isZero();
    assertThat(run("check", examples.resolve("shop.yaml").toString())).isZero();
  }

  @Test
  void readsRulesPathFromTheEnvironment() {
    Map<String, String> environment =
        Map.of("WEIR_RULES", directory.resolve("shop.yaml").toString());
    int code =
        Main.run(new PrintWriter(out), new PrintWriter(err), environment, "explain", "GET", "/");
    assertThat(code).isZero();
  }

  private List<String> shown() {
    return out.toString().replace(directory.toString(), "DIR").lines().toList();
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  /** Names of files are those in the temporary directory. */
  private int weir(String... arguments) {
    List<String> all = new ArrayList<>();
    for (String argument : arguments) {
      boolean isFile = argument.matches("(--rules=)?[\\w.]+\\.yaml|d|empty|nope");
      String prefix = argument.startsWith("--rules=") ? "--rules=" : "";
      all.add(isFile ? prefix + directory.resolve(argument.substring(prefix.length())) : argument);
    }
    return run(all.toArray(new String[0]));
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), arguments);
  }
}
