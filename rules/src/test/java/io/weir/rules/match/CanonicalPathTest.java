package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One reading for every spelling of a path, and none for those that servers disagree about. */
class CanonicalPathTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "/api/v1/users/42",
        "/.well-known/x",
        "/a/...",
        "/a/..b/.c",
        "/a b",
        "/ü/日本",
        "/a:b@c,d!e$f&g'(h)*+=~_-",
        "*"
      })
  void givesBackTheSameTextWhenItIsCanonical(String path) {
    assertThat(CanonicalPath.of(path)).isSameAs(path);
  }

  @ParameterizedTest
  @CsvSource({
    "/api//x, /api/x",
    "//api/x, /api/x",
    "///, /",
    "/api/./x, /api/x",
    "/x/../api, /api",
    "/api/x/.., /api",
    "/api/x/., /api/x",
    "/a/b/../../c, /c",
    "/a//../b, /b",
    "/.., ABOVE",
    "/a/../.., ABOVE",
    "/../a, ABOVE",
    "/.//.., ABOVE",
  })
  void case21_doubleSlashesAndDotSegments(String raw, String expected) {
    assertReads(raw, expected, "leads above the root");
  }

  @Test
  void case22_caseIsKept() {
    assertThat(CanonicalPath.of("/API/x")).isEqualTo("/API/x");
    assertThat(CanonicalPath.of("/%41PI//x")).isEqualTo("/API/x");
  }

  @ParameterizedTest
  @CsvSource({"/a/, /a", "/a//, /a", "/a/b/, /a/b", "/, /", "/a/%20/, '/a/ '"})
  void case23_aTrailingSlashIsDropped(String raw, String expected) {
    assertThat(CanonicalPath.of(raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "/%61pi, /api",
    "/%2561, /%61",
    "/%252e%252e/x, /%2e%2e/x",
    "/%2e%2E/x, ABOVE",
    "/a/%2e%2e/x, /x",
    "/a/.%2e/x, /x",
    "/a/%2e/x, /a/x",
    "/%c3%bc, /ü",
    "/%E6%97%A5, /日",
    "/%F0%9F%98%80, /😀",
    "/😀/, /😀",
    "/a%3Bb, /a;b",
    "/a%3Fb, /a?b",
    "/a%23b, /a#b",
    "/a%25, /a%",
    "/..%3b/a, /..;/a",
  })
  void case24_percentIsDecodedOnce(String raw, String expected) {
    assertReads(raw, expected, "leads above the root");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a%2Fb", "/a%2fb", "/a/..%2f..", "/a;p=%2f/b"})
  void case25_encodedSlashesAreRefused(String raw) {
    assertRefused(raw, "the path has an encoded slash (%2F)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a%5Cb", "/a%5cb", "/a\\b", "\\a", "/a/..\\x", "/a;p=\\/b"})
  void case25_backslashesAreRefused(String raw) {
    assertThatThrownBy(() -> CanonicalPath.of(raw))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageMatching("the path (has a backslash.*|must begin with '/')");
  }

  @ParameterizedTest
  @CsvSource({
    "/a;a=b, /a",
    "/a;a=b/c;d, /a/c",
    "/a/;x/b, /a/b",
    "/user/..;foo=bar/admin, /admin",
    "/a/..;/b, /b",
    "/a/.;x/b, /a/b",
    "/..;/b, ABOVE",
    "/a/%2e%2e;x=1/b, /b",
    "/a;x=..;y/b, /a/b",
    "/;x, /",
  })
  void case26_parametersOfSegmentsAreCut(String raw, String expected) {
    assertReads(raw, expected, "leads above the root");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"%00", "%0d%0a", "%1F", "%7f", "%09", "\0", "\r\n", "\t", "\u007f", ";p=%00"})
  void case27_controlCharactersAreRefusedAndNotEchoed(String control) {
    assertThatThrownBy(() -> CanonicalPath.of("/a" + control + "b"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageMatching("the path has a control character \\(%[0-9A-F]{2}\\)");
  }

  @ParameterizedTest
  @CsvSource({
    "/x?, /x",
    "/x?a=/../b, /x",
    "/x/?a, /x",
    "/x?a\\b%zz%00, /x",
    "/x#frag, /x",
    "/x#a?b, /x",
    "/x/..?a, /",
    "/?a, /",
    "/x;p?a, /x",
  })
  void case28_queryAndFragmentAreNoPath(String raw, String expected) {
    assertThat(CanonicalPath.of(raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "http://example.org/a/b, /a/b",
    "HTTPS://example.org:8443/a//b/, /a/b",
    "http://example.org, /",
    "http://example.org?x=/y, /",
    "http://example.org/?x, /",
    "http://user@[::1]:80/a, /a",
    "http://example.org/../a, ABOVE",
    "//evil.example/a, /evil.example/a",
    "/http://example.org/a, /http:/example.org/a",
  })
  void case29_ofAnAbsoluteUriThePathIsTaken(String raw, String expected) {
    assertReads(raw, expected, "leads above the root");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://", "http:///a", "http://?a"})
  void case29_aUriNeedsAHost(String raw) {
    assertThatThrownBy(() -> CanonicalPath.of(raw)).isInstanceOf(MalformedRequestException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://a\\b/c", "http://a\r\n/c", "http://a b/c"})
  void case29_aHostHasNoStrangeCharacters(String raw) {
    assertRefused(raw, "the target's host has an invalid character");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/%C0%AF", // a slash in two bytes
        "/%C0%AE%C0%AE/a",
        "/%C1%81",
        "/%E0%80%AF",
        "/%E0%9F%BF",
        "/%F0%80%80%AF",
        "/%F0%8F%BF%BF",
        "/%ED%A0%80", // a surrogate
        "/%ED%BF%BF",
        "/%F4%90%80%80", // beyond Unicode
        "/%F8%88%80%80%80",
        "/%FF",
        "/%80",
        "/%BF",
        "/%C3",
        "/%C3a",
        "/%C3/%BC",
        "/%C3%28",
        "/%E6%97",
        "/%E6%97/",
        "/a;%FF"
      })
  void case30_escapesMustBeUtf8(String raw) {
    assertThatThrownBy(() -> CanonicalPath.of(raw))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageEndingWith("that is not UTF-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/%u0061", "/%", "/%4", "/a%", "/%zz", "/%4g", "/%-1", "/%+1", "/%４１", "/%4?1"})
  void case30_brokenEscapesAreRefused(String raw) {
    assertThatThrownBy(() -> CanonicalPath.of(raw))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageEndingWith("that two hexadecimal digits do not follow");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a/b",
        "?a",
        "#",
        "*?",
        "**",
        "example.org:443",
        ":///a",
        "1a://b/c",
        ";/a",
        "%2fa"
      })
  void aPathBeginsWithASlash(String raw) {
    assertRefused(raw, "the path must begin with '/'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/\ud83d", "/\ude00", "/\ude00\ud83d", "/\ud83da"})
  void halfACharacterIsRefused(String raw) {
    assertRefused(raw, "the path has half a character (a lone surrogate)");
  }

  /** Whatever is sent: refused with a message that can be shown, or a path of sound segments. */
  @Test
  void everythingIsReadOrRefused() {
    String[] parts = {
      "/",
      "//",
      ".",
      "..",
      ";",
      "a",
      "B",
      "%2e",
      "%2E",
      "%61",
      "%25",
      "%2f",
      "%00",
      "%c3%bc",
      "%c3",
      "\\",
      "?",
      "#",
      "\0",
      "%",
      "ü",
      "http://h",
      " "
    };
    for (long seed = 0; seed < 200_000; seed++) {
      Random random = new Random(seed);
      StringBuilder raw = new StringBuilder(random.nextInt(8) == 0 ? "" : "/");
      for (int i = random.nextInt(9); i > 0; i--) {
        raw.append(parts[random.nextInt(parts.length)]);
      }
      try {
        String path = CanonicalPath.of(raw.toString());
        assertThat(path).as("seed %d: %s", seed, raw).startsWith("/");
        for (String segment : path.substring(1).split("/", -1)) {
          assertThat(segment.isEmpty() && path.length() > 1).as("seed %d: %s", seed, raw).isFalse();
          assertThat(segment).as("seed %d: %s", seed, raw).isNotIn(".", "..");
        }
        assertThat(path).as("seed %d", seed).doesNotContain("\0").doesNotContain("\\");
      } catch (MalformedRequestException e) {
        assertThat(e.getMessage().chars()).as("seed %d", seed).allMatch(c -> c >= ' ' && c < 0x7f);
      }
    }
  }

  private static void assertReads(String raw, String expected, String whyNot) {
    if (expected.equals("ABOVE")) {
      assertThatThrownBy(() -> CanonicalPath.of(raw))
          .isInstanceOf(MalformedRequestException.class)
          .hasMessageContaining(whyNot);
    } else {
      assertThat(CanonicalPath.of(raw)).isEqualTo(expected);
    }
  }

  private static void assertRefused(String raw, String message) {
    assertThatThrownBy(() -> CanonicalPath.of(raw))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage(message);
  }
}
