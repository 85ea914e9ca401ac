package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.weir.rules.AttributeSource.Field;
import io.weir.rules.AttributeSource.Field.Kind;
import io.weir.rules.match.MalformedRequestException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cookie headers as Python's {@code http.cookies} reads them: whatever it takes for one value is
 * one value to rules, or refused.
 */
class PythonCookiesTest {
  private static final int HEADERS = 30_000;
  private static final long SEED = Long.getLong("seed", 21);
  private static final String[] PARTS = {
    "sid=", "sid=", "sid = ", "sid=\"", "x=", "\"", ";", "; ", ",", " ", "\t", "a", "b", "%61",
    "\\141", "\\\"", "+", "secure", "=", "x", "\u000b", "SID", "$Path=/"
  };

  /** Prints {@code +} and the value of the cookie {@code sid} in hex, or {@code -}. */
  private static final String PROGRAM =
      """
      import sys
      from http.cookies import SimpleCookie, CookieError
      for line in sys.stdin:
          try:
              cookies = SimpleCookie(bytes.fromhex(line.strip()).decode('latin-1'))
          except CookieError:
              cookies = {}
          if 'sid' in cookies:
              print('+' + cookies['sid'].value.encode('latin-1').hex())
          else:
              print('-')
      """;

  @Test
  void readsNoValueInTwoWays(@TempDir Path directory) throws Exception {
    List<String> headers = headers();
    List<String> found = readByPython(headers, directory);
    Map<String, String> ours = new HashMap<>();
    int compared = 0;
    for (int i = 0; i < headers.size(); i++) {
      String header = headers.get(i);
      if (found.get(i).length() == 1) {
        continue; // absent or empty: to such a server it is a client without a session
      }
      String value;
      try {
        value =
            String.valueOf(
                new HttpRequest("GET", "/", List.of(new Header("Cookie", header)), null, null, 1)
                    .attribute("any", new Field(Kind.COOKIE, "sid")));
      } catch (MalformedRequestException e) {
        continue;
      }
      compared++;
      String before = ours.putIfAbsent(found.get(i), value);
      assertThat(value).as("Python reads '%s' as %s", header, found.get(i)).isNotEqualTo("null");
      assertThat(before == null ? value : before)
          .as("another header for what Python reads '%s' as: %s", header, found.get(i))
          .isEqualTo(value);
    }
    assertThat(compared).as("headers that both accept").isGreaterThan(HEADERS / 50);
  }

  private static List<String> headers() {
    Random random = new Random(SEED);
    List<String> headers = new ArrayList<>();
    while (headers.size() < HEADERS) {
      StringBuilder header = new StringBuilder(random.nextBoolean() ? "sid=" : "x=1; ");
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        header.append(PARTS[random.nextInt(PARTS.length)]);
      }
      headers.add(header.toString());
    }
    return headers;
  }

  private static List<String> readByPython(List<String> headers, Path directory)
      throws IOException, InterruptedException {
    Path program = Files.writeString(directory.resolve("read.py"), PROGRAM);
    StringBuilder lines = new StringBuilder();
    for (String header : headers) {
      for (byte each : header.getBytes(US_ASCII)) {
        lines.append("%02x".formatted(each));
      }
      lines.append('\n');
    }
    Path input = Files.writeString(directory.resolve("headers"), lines);
    Process python;
    try {
      python =
          new ProcessBuilder("python3", "-I", program.toString())
              .redirectInput(input.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      python = abort("skipped: there is no python3: " + e.getMessage());
    }
    List<String> values;
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(python.getInputStream(), US_ASCII))) {
      values = out.lines().toList();
    } finally {
      if (!python.waitFor(30, TimeUnit.SECONDS)) {
        python.destroyForcibly();
      }
    }
    assertThat(values).hasSameSizeAs(headers);
    return values;
  }
}
