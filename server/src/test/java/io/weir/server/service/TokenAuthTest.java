package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Access to the service with a configured token. */
class TokenAuthTest {
  private static Service service;

  @BeforeAll
  static void start() {
    service =
        Service.builder(
                """
                attributes:
                  login: { header: Authorization }
                  token: { header: X-Weir-Token }
                rules:
                  - { name: login, per: login, limit: 1 per hour }
                  - { name: token, per: token, limit: 0 per hour }
                """)
            .token("s3cret")
            .start();
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization, Bearer s3cret, 200",
    "Authorization, bearer s3cret, 200",
    "X-Weir-Token, s3cret, 200",
    "Authorization, Bearer s3cre, 401",
    "Authorization, Bearer s3crets, 401",
    "Authorization, Bearer S3CRET, 401",
    "Authorization, Bearer, 401",
    "Authorization, s3cret, 401",
    "Authorization, Basic s3cret, 401",
    "X-Weir-Token, Bearer s3cret, 401",
    "X-Token, s3cret, 401",
  })
  void requiresTheToken(String header, String value, int status) {
    for (String target : new String[] {"/v1/check?a=1", "/v1/nothing"}) {
      Service.Reply reply = service.get(target, header, value);
      boolean isIn = status == 200;
      assertThat(reply.status()).isEqualTo(isIn && target.endsWith("nothing") ? 404 : status);
      assertThat(reply.header("WWW-Authenticate")).isEqualTo(isIn ? "" : "Bearer realm=\"weir\"");
      assertThat(reply.body()).doesNotContain("s3cret");
    }
  }

  /** The one that lets the proxy in is not the client's, and no key of a rule. */
  @Test
  void tokenIsNotAnAttribute() {
    String[] original = {"X-Forwarded-Uri", "/", "X-Forwarded-Method", "GET"};
    for (int i = 0; i < 2; i++) {
      assertThat(forwardAuth(original, "Authorization", "Bearer s3cret").status()).isEqualTo(200);
    }
    assertThat(
            forwardAuth(original, "X-Weir-Token", "s3cret", "Authorization", "Bearer client")
                .status())
        .isEqualTo(200);
    assertThat(
            forwardAuth(original, "X-Weir-Token", "s3cret", "Authorization", "Bearer client")
                .status())
        .isEqualTo(429);
    assertThat(
            forwardAuth(original, "X-Weir-Token", "wrong", "Authorization", "Bearer s3cret")
                .status())
        .isEqualTo(401);
  }

  private static Service.Reply forwardAuth(String[] original, String... more) {
    String[] all = java.util.Arrays.copyOf(original, original.length + more.length);
    System.arraycopy(more, 0, all, original.length, more.length);
    return service.get("/v1/auth", all);
  }
}
