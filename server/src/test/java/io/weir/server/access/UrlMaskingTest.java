package io.weir.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is left of targets and referrers. */
class UrlMaskingTest {
  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/a/b, /a/b",
    "/a?b=c, /a?b=***",
    "/a?b=c&d=&e, /a?b=***&d=***&***",
    "/a?b=c?d=e, /a?b=***",
    "/a?, /a?",
    "/a?b=c#d=e, /a?b=***",
    "/a#secret, /a",
    "http://u:p@h/a?b=c, http://***@h/a?b=***",
    "http://u:p@h, http://***@h",
    "http://h/a@b, http://h/a@b",
    "*, *",
  })
  void masksQueryValuesAndUsers(String target, String shown) {
    assertThat(UrlMasking.target(target)).isEqualTo(shown);
  }
}
