package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.vertx.core.buffer.Buffer;
import io.weir.rig.Fuzzing;
import io.weir.rules.match.MalformedRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads JSON as the standard requires and as another parser does, and refuses anything else. */
class JsonInputTest {
  private static final int ROUNDS = 100_000;

  private static final JsonFactory OTHER =
      new JsonFactoryBuilder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(16).maxNumberLength(100).build())
          .build();

  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\"",
          "\\",
          "\"a\"",
          "\"b\":",
          "\"ü€😀\"",
          "\"\\u00fc\\n\"",
          "\\ud83d\\ude00",
          "\\ud800",
          "\\u12",
          "0",
          "-",
          "1",
          "-0",
          "1.5",
          "1e9",
          "01",
          "2E+",
          "true",
          "false",
          "null",
          "nul",
          " ",
          "\n",
          "\t",
          "\r",
          "\u0001",
          "\u007f",
          "\ufeff",
          "é",
          "'",
          "NaN");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          nonsense                 | unexpected character 'o' (line 1, column 2)
          {"a"}                    | unexpected character '}' (line 1, column 5)
          {"a":1 "b":2}            | unexpected character '"' (line 1, column 8)
          {"a":1,}                 | unexpected character '}' (line 1, column 8)
          [1,]                     | unexpected character ']' (line 1, column 4)
          [,1]                     | unexpected character ',' (line 1, column 2)
          {1:2}                    | unexpected character '1' (line 1, column 2)
          {"a":                    | it ends too early (line 1, column 6)
          {"ü":"€",x}              | unexpected character 'x' (line 1, column 10)
          ["a                      | it ends within a text (line 1, column 2)
          ["a\\                    | it ends within a text (line 1, column 2)
          [01]                     | a number must not begin with 0 (line 1, column 2)
          [-]                      | unexpected character ']' (line 1, column 3)
          [1.]                     | unexpected character ']' (line 1, column 4)
          [+1]                     | unexpected character '+' (line 1, column 2)
          [truth]                  | unexpected character 't' (line 1, column 5)
          ["\\x"]                  | there is no escape \\x (line 1, column 2)
          ["\\u00g0"]              | \\u must be followed by four hexadecimal digits (line 1, column 2)
          ["\\u00"]                | \\u must be followed by four hexadecimal digits (line 1, column 2)
          {"a":1,"\\u0061":2}      | the name 'a' comes twice (line 1, column 8)
          """)
  void reportsErrorAndPosition(String json, String message) {
    assertThatThrownBy(() -> walked(json.replace("\\\\", "\\").getBytes(UTF_8)))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage("the body is not JSON: " + message.replace("\\\\", "\\"));
  }

  @Test
  void errorsReportLineAndColumn() {
    assertThatThrownBy(() -> walked("{\n \"ü\": 1,\n  x}".getBytes(UTF_8)))
        .hasMessageEndingWith("(line 3, column 3)");
  }

  @Test
  void distinguishesManyNames() throws IOException {
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < 1000; i++) {
      json.append("\"n").append(i).append("\":null,");
    }
    assertThat(walked((json + "\"last\":1}").getBytes(UTF_8))).hasSize(2004);
    assertThatThrownBy(() -> walked((json + "\"n500\":1}").getBytes(UTF_8)))
        .hasMessageContaining("the name 'n500' comes twice");
  }

  @Test
  void depthIsBounded() throws IOException {
    assertThat(walked(("[".repeat(16) + "]".repeat(16)).getBytes(UTF_8))).hasSize(32);
    assertThatThrownBy(() -> walked("[".repeat(17).getBytes(UTF_8)))
        .hasMessageContaining("nested more than 16 deep");
  }

  @Test
  void readsAsAnotherReaderDoes() {
    AtomicInteger good = new AtomicInteger();
    Fuzzing.rounds(ROUNDS, random -> good.addAndGet(readsAsAnotherReaderDoes(random) ? 1 : 0));
    assertThat(good.get()).isGreaterThan(ROUNDS / 20);
  }

  @Test
  @Tag("soak")
  void readsForLongAsAnotherReaderDoes() {
    Fuzzing.minutes(JsonInputTest::readsAsAnotherReaderDoes);
  }

  /**
   * What another strict reader accepts is accepted and means the same; the rest is refused.
   *
   * @return whether it was accepted
   */
  private static boolean readsAsAnotherReaderDoes(Random random) {
    StringBuilder json = new StringBuilder();
    if (random.nextBoolean()) {
      append(json, random, 3);
      if (random.nextInt(3) == 0) {
        json.insert(random.nextInt(json.length() + 1), Fuzzing.pick(PIECES, random));
      }
    } else {
      for (int i = random.nextInt(12); i >= 0; i--) {
        json.append(Fuzzing.pick(PIECES, random));
      }
    }
    return readsAsAnotherReaderDoes(json.toString());
  }

  /** The same, of one text. */
  static boolean readsAsAnotherReaderDoes(String json) {
    List<String> expected = walkedByAnother(json);
    List<String> found;
    try {
      found = walked(json.getBytes(UTF_8));
    } catch (MalformedRequestException e) {
      found = List.of("malformed");
    }
    boolean isAccepted = !expected.get(0).equals("malformed");
    if (isAccepted || found.stream().allMatch(JsonInputTest::isUnicode)) {
      assertThat(found).as(json).isEqualTo(expected);
    }
    return isAccepted;
  }

  /** The other reader refuses half a surrogate pair in some places; here, JsonInput does. */
  private static boolean isUnicode(String text) {
    return UTF_8.newEncoder().canEncode(text);
  }

  private static void append(StringBuilder json, Random random, int depth) {
    switch (random.nextInt(depth == 0 ? 4 : 6)) {
      case 0 -> json.append(random.nextInt());
      case 1 -> json.append(random.nextDouble());
      case 2 -> json.append(random.nextBoolean() ? "null" : "true");
      case 3 -> json.append("\"t\\u00e9").append(random.nextInt(3)).append('"');
      case 4 -> {
        json.append('[');
        for (int i = random.nextInt(4); i > 0; i--) {
          append(json, random, depth - 1);
          json.append(i == 1 ? "" : " ,");
        }
        json.append(']');
      }
      default -> {
        json.append('{');
        for (int i = random.nextInt(4); i > 0; i--) {
          json.append("\"n").append(random.nextInt(9)).append("\" : ");
          append(json, random, depth - 1);
          json.append(i == 1 ? "" : ",");
        }
        json.append('}');
      }
    }
  }

  /** Of what stands around it, nothing is read. */
  private static Buffer surrounded(String json) {
    int length = json.getBytes(UTF_8).length;
    return Buffer.buffer("\n\"0,").appendString(json).appendString("0]}\"").slice(4, 4 + length);
  }

  @Test
  void readsABufferWhereItIs() {
    JsonInput in = JsonInput.of(surrounded("{\"ü\":12}"));
    in.beginObject("it");
    assertThat(in.name()).isEqualTo("ü");
    assertThat(in.count("it")).isEqualTo(12);
    assertThat(in.name()).isNull();
    in.end();
    assertThat(JsonInput.of(surrounded("")).isEmpty()).isTrue();
    assertThatThrownBy(() -> JsonInput.of(surrounded("{\n \"a\" 1")).beginObject("it"))
        .hasMessageEndingWith("(line 2, column 6)");
  }

  static List<String> walked(byte[] json) throws MalformedRequestException {
    byte[] more = new byte[json.length + 5];
    Arrays.fill(more, (byte) '"');
    System.arraycopy(json, 0, more, 2, json.length);
    JsonTokens tokens = new JsonTokens(more, 2, 2 + json.length);
    List<String> all = new ArrayList<>();
    for (; tokens.kind() != JsonTokens.Kind.NOTHING; tokens.next()) {
      switch (tokens.kind()) {
        case MORE -> throw new MalformedRequestException("there is more");
        case NAME, TEXT, NUMBER, FRACTION -> all.add(tokens.kind() + " " + tokens.text());
        default -> all.add(tokens.kind().toString());
      }
    }
    return all.isEmpty() ? List.of("NOTHING") : all;
  }

  private static List<String> walkedByAnother(String json) {
    List<String> all = new ArrayList<>();
    try (JsonParser parser = OTHER.createParser(json)) {
      int depth = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (depth == 0 && !all.isEmpty()) {
          return List.of("malformed");
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        all.add(
            switch (token) {
              case START_OBJECT -> "OBJECT";
              case END_OBJECT -> "OBJECT_END";
              case START_ARRAY -> "LIST";
              case END_ARRAY -> "LIST_END";
              case FIELD_NAME -> "NAME " + parser.getText();
              case VALUE_STRING -> "TEXT " + parser.getText();
              case VALUE_NUMBER_INT -> "NUMBER " + parser.getText();
              case VALUE_NUMBER_FLOAT -> "FRACTION " + parser.getText();
              case VALUE_TRUE -> "TRUE";
              case VALUE_FALSE -> "FALSE";
              case VALUE_NULL -> "NULL";
              default -> throw new AssertionError(token);
            });
      }
    } catch (IOException e) {
      return List.of("malformed");
    }
    return all.isEmpty() ? List.of("NOTHING") : all;
  }
}
