package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import io.weir.rules.match.MalformedRequestException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * {@code Cookie} headers. A plain cookie is read as it is beside others without quotes; headers
 * mean what their pairs mean in one header, unless a quote spans pairs; nothing is thrown but that
 * the request is malformed.
 */
class CookiesFuzzTest implements FuzzTarget {
  private static final String NAME = "session";
  private static final String PLAIN = "a1-b2_c3.d4";

  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "session=abc",
            "a=1; session=\"abc\"; b=2",
            "a=1;\tsession = x ;;=;b",
            "session=a; session=b",
            "session=",
            "session=\"",
            "session=a=b==",
            "session=\"a\\\"b\\054\"",
            "SESSION=1; ses%73ion=%20",
            "\"session\"=1; x=\"; session=2; \"",
            "")
        .map(header -> header.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of("session=", "; ", "\"", "%3", "\\0", "=");
  }

  @Override
  public void run(byte[] input) {
    String header = new String(input, UTF_8);
    String found = value(List.of(header));

    List<String> pairs = Arrays.asList(header.split(";", -1));
    boolean hasQuotes = header.contains("\"");
    if (!hasQuotes) {
      assertThat(value(pairs)).as("a header for each pair").isEqualTo(found);
    }
    assertThat(value(List.of("other=1; " + header))).as("behind another").isEqualTo(found);
    assertThat(value(List.of("", header, "other=1"))).as("between others").isEqualTo(found);

    boolean isAbsent =
        !header.toLowerCase(Locale.ROOT).contains(NAME)
            && !header.contains("%")
            && !header.contains("\\");
    if (isAbsent && !hasQuotes) {
      assertThat(found).isEqualTo("absent");
      String plain = NAME + "=" + PLAIN;
      String expected = "value " + PLAIN;
      assertThat(value(List.of(plain, header))).as("before").isEqualTo(expected);
      assertThat(value(List.of(header + ";" + plain))).as("after").isEqualTo(expected);
      assertThat(value(List.of(plain + ";" + header + "; " + plain)))
          .as("sent twice")
          .isEqualTo("malformed");
    }
  }

  private static String value(List<String> headers) {
    try {
      return Optional.ofNullable(Cookies.value(headers, NAME))
          .map("value "::concat)
          .orElse("absent");
    } catch (MalformedRequestException e) {
      return "malformed";
    }
  }
}
