package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is passed on of a target. */
class RequestTargetTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "/a/",
        "/a/b.c/.d/..e/...",
        "/?",
        "/a?b=//.././%zz\\{|}\"",
        "/a;v=1/b;jsessionid=2",
        "/;jsessionid=2",
        "/a%20b/%C3%BC/%25",
        "/a.%2e",
        "/%2e%2E%2e",
      })
  void keepsCanonicalTargets(String raw) {
    assertThat(RequestTarget.of(raw)).isEqualTo(raw);
  }

  @Test
  void isNotCopiedIfThereIsNothingToResolve() {
    String raw = "/a/b.c?d=/../e";
    assertThat(RequestTarget.of(raw)).isSameAs(raw);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "//                      | /",
        "//a                     | /a",
        "/a//b                   | /a/b",
        "/a///b//                | /a/b/",
        "/a/./b                  | /a/b",
        "/a/.                    | /a/",
        "/.                      | /",
        "/a/../b                 | /b",
        "/a/b/..                 | /a/",
        "/a/..                   | /",
        "/a/b/../../c?d=/../     | /c?d=/../",
        "/a/%2e%2e/b             | /b",
        "/a/%2E./b               | /b",
        "/a/..;x=1/b;y=2         | /b;y=2",
        "/a/.;x/b                | /a/b",
        "/a/;x/b                 | /a/b",
        "/a//;x                  | /a/;x",
        "/a;b/c%3B/../d          | /a;b/d",
        "/a/./b//c/%2e%2e/d;v=1/?q=/../ | /a/b/d;v=1/?q=/../",
      })
  void isResolved(String raw, String expected) {
    assertThat(RequestTarget.of(raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "a",
        "?a",
        "http://a/b",
        "/a b",
        "/a?b c",
        "/a\tb",
        "/a?\u0000",
        "/a\u007f",
        "/\u00fc",
        "/a?\u00fc",
        "/a?\u20ac",
        "/a#b",
        "/a?b#c",
        "/a\\b",
        "/a%2fb",
        "/a%5Cb",
        "/a%00",
        "/a%0d%0a",
        "/a%",
        "/a%4",
        "/a%zz",
        "/a%u0061",
        "/a%c0%af",
        "/..",
        "/a/../../b",
        "/a/%2e%2e/%2e%2e/b",
        "/a/..;/..;/b",
      })
  void isRefused(String raw) {
    assertThatThrownBy(() -> RequestTarget.of(raw)).isInstanceOf(MalformedRequestException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/a%2Fb/c,     /a%2Fb/c,   /a%2Fb/c",
    "/a%2fb/./c,   /a%2fb/c,   /a%2Fb/c",
    "/a%2fb/%2e%2e/c?d=%2f, /c?d=%2f, /c",
    "/a%252fb,     /a%252fb,   /a%2fb",
  })
  void encodedSlashesMayBePartOfNames(String raw, String target, String path) {
    assertThat(RequestTarget.of(raw, true)).isEqualTo(target);
    assertThat(CanonicalPath.of(RequestTarget.path(target))).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/..%2fb",
        "/a/b%2F..",
        "/a/.%2fb",
        "/%2fa",
        "/a%2f",
        "/a%2f%2fb",
        "/a/%2e%2e%2fb",
        "/a%5cb",
        "/a%2f%00",
        "/a%2f..;x/b"
      })
  void encodedSlashesHideNoDots(String raw) {
    assertThatThrownBy(() -> RequestTarget.of(raw, true))
        .isInstanceOf(MalformedRequestException.class);
  }

  /** What is limited is what is forwarded. */
  @Test
  void rulesSeeTheForwardedTarget() {
    String[] parts = {
      "/", "/", "//", ".", "..", "%2e", "%2E", ";", "a", "b", "%61", "%25", "%3B", "=", "?", "~"
    };
    Random random = new Random(7);
    int resolved = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder raw = new StringBuilder("/");
      for (int length = random.nextInt(12); length > 0; length--) {
        raw.append(parts[random.nextInt(parts.length)]);
      }
      String path;
      try {
        path = CanonicalPath.of(raw.toString());
      } catch (MalformedRequestException above) {
        assertThatThrownBy(() -> RequestTarget.of(raw.toString()))
            .as("%s", raw)
            .isInstanceOf(MalformedRequestException.class);
        continue;
      }
      String target = RequestTarget.of(raw.toString());
      assertThat(CanonicalPath.of(target)).as("%s → %s", raw, target).isEqualTo(path);
      assertThat(RequestTarget.of(target)).as("%s, again", raw).isEqualTo(target);
      String sent = target.split("\\?", 2)[0];
      assertThat(sent).doesNotContain("//").doesNotContainPattern("/\\.{1,2}(/|;|$)");
      resolved += target.length() == raw.length() ? 0 : 1;
    }
    assertThat(resolved).isGreaterThan(50_000);
  }
}
