package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code attributes: { path: { case: ignore } }}: what a server reads as one path is one. */
class PathCaseTest {
  private static final String RULES =
      """
      rules:
        - { name: login, match: { path: /Api/Login }, limit: { algorithm: fixed-window, rate: 2 per hour } }
        - name: user
          match: { path: "/users/{Id}/**" }
          per: Id
          limit: { algorithm: fixed-window, rate: 1 per hour }
          overrides:
            - match: { path: /Users/Ann/many }
              limit: { algorithm: fixed-window, rate: 3 per hour }
      """;

  private static final String IGNORED = "attributes: { path: { case: ignore } }\n";

  @TempDir private Path directory;

  private RequestLimiter limiter(String... files) throws IOException {
    for (int i = 0; i < files.length; i++) {
      Files.writeString(directory.resolve(i + ".yaml"), files[i]);
    }
    RuleSet rules = RuleFiles.load(List.of(directory));
    return RequestLimiter.builder(rules).time(TimeSource.manual()).build();
  }

  private static List<Boolean> allowed(RequestLimiter limiter, String... paths) {
    return Stream.of(paths).map(path -> limiter.check(new Asked(path)).allowed()).toList();
  }

  private record Asked(String path) implements Request {
    @Override
    public String attribute(String name) {
      return name.equals("path") ? path : null;
    }
  }

  @Test
  void everySpellingSharesABucket() throws IOException {
    RequestLimiter limiter = limiter(IGNORED + RULES);
    assertThat(allowed(limiter, "/api/login", "/API/%4cOGIN?q=A", "/Api/Login"))
        .containsExactly(true, true, false);
    assertThat(allowed(limiter, "/users/bob/x", "/USERS/BOB/X", "/users/eve/x"))
        .containsExactly(true, false, true);
    assertThat(allowed(limiter, "/USERS/ann/Many", "/users/ANN/many", "/users/Ann/MANY"))
        .containsExactly(true, true, true);
    assertThat(allowed(limiter, "/users/ann/MANY")).containsExactly(false);
  }

  @Test
  void anyFileOfTheDomainMaySetIt() throws IOException {
    RequestLimiter limiter = limiter(RULES, IGNORED + "rules: []");
    assertThat(allowed(limiter, "/api/login", "/API/LOGIN", "/Api/Login"))
        .containsExactly(true, true, false);
  }

  @Test
  void caseCountsUnlessIgnored() throws IOException {
    RequestLimiter limiter = limiter(RULES);
    assertThat(allowed(limiter, "/Api/Login", "/Api/Login", "/api/login", "/Api/Login"))
        .containsExactly(true, true, true, false);
  }
}
