package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import io.weir.rules.match.MalformedRequestException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** JSON as our reader and another strict one read it. */
class JsonFuzzTest implements FuzzTarget {
  /** Both readers bound the length of numbers, but one does not count signs and points. */
  /** Jackson looks at the last eight bits of a hexadecimal digit only: it takes U+0142 for B. */
  private static final Pattern WIDE_DIGIT = Pattern.compile("\\\\u[0-9A-Fa-f]{0,3}[^\\x00-\\x7f]");

  private static final Pattern LONG_NUMBER = Pattern.compile("[-+.eE0-9]{90,}");

  @Test
  void readsTheSeedsAsAnotherReaderDoes() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutesAsAnotherReaderDoes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "{\"key\":\"k\",\"cost\":12,\"attributes\":{\"ip\":\"::1\",\"ü€😀\":null}}",
            "[[[]],{},[{\"a\":[true,false,null]}]]",
            "[-0,0.5,1e9,-12.25E-3,1234567890123456789012345678901234567890]",
            "[\"\\u00fc\\n\\ud83d\\ude00\\ud800\\/\\\\\\\"\"]",
            "{\"a\":1,\"\\u0061\":2}",
            " \t\r\n\"x\" ",
            "[1,]",
            "\ufeff{}",
            "")
        .map(json -> json.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of("true", "false", "null", "\\u00", "\\ud83d", "\":", "1e9", "\ufeff");
  }

  @Override
  public void run(byte[] input) {
    String json;
    try {
      json = UTF_8.newDecoder().decode(ByteBuffer.wrap(input)).toString();
    } catch (CharacterCodingException e) {
      assertThatThrownBy(() -> JsonInputTest.walked(input))
          .isInstanceOf(MalformedRequestException.class)
          .hasMessage("the body is not UTF-8");
      return;
    }
    if (!LONG_NUMBER.matcher(json).find() && !WIDE_DIGIT.matcher(json).find()) {
      JsonInputTest.readsAsAnotherReaderDoes(json);
    }
  }
}
