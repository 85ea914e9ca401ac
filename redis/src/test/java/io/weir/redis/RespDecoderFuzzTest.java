package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Replies of Redis: what is read does not depend on how the bytes arrive, is the same when it is
 * written and read again, and its integers are those that the reader of integers finds.
 */
class RespDecoderFuzzTest implements FuzzTarget {
  /** How reading ended: more bytes are awaited, or they are no replies. */
  private enum End {
    MORE,
    GARBLED
  }

  private record Outcome(List<Object> replies, End end) {}

  /** A reply of integers, as the reader of integers sees it. */
  private record Numbers(List<Long> numbers, String error) {}

  /** Reads the next reply, if a whole one is there. */
  private interface Reader {
    boolean next(RespDecoder respDecoder, List<Object> into) throws RespDecoder.RespException;
  }

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
            "1:1\r\n:-42\r\n:9223372036854775807\r\n",
            "2*3\r\n:1\r\n*2\r\n:2\r\n:3\r\n$-1\r\n+OK\r\n",
            "3$5\r\nhello\r\n$0\r\n\r\n$-1\r\n*0\r\n*-1\r\n",
            "4-MOVED 3999 127.0.0.1:6381\r\n+QUEUED\r\n",
            "5*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$3\r\na b\r\n",
            "6*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
            "7:12345678901234567890\r\n",
            "8$3\r\nabcd\r\n",
            "9*2\r\n-ERR one\r\n:7\r\n:5",
            "0")
        .map(replies -> replies.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        "\r\n", ":1\r\n", "*1\r\n", "$1\r\n", "$-1\r\n", "*-1\r\n", "-ERR \r\n", "+OK\r\n");
  }

  /** The first byte decides how the others arrive. */
  @Override
  public void run(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    Outcome values = inPieces(bytes, bytes.length, RespDecoderFuzzTest::nextValue);
    Outcome numbers = inPieces(bytes, bytes.length, RespDecoderFuzzTest::nextNumbers);

    int maxPiece = 1 + Math.floorMod(input[0], 32);
    assertThat(inPieces(bytes, maxPiece, RespDecoderFuzzTest::nextValue)).isEqualTo(values);
    assertThat(inPieces(bytes, maxPiece, RespDecoderFuzzTest::nextNumbers)).isEqualTo(numbers);

    byte[] again = written(values.replies());
    assertThat(inPieces(again, again.length, RespDecoderFuzzTest::nextValue))
        .isEqualTo(new Outcome(values.replies(), End.MORE));

    for (int i = 0; i < numbers.replies().size(); i++) {
      assertThat(numbers.replies().get(i)).isEqualTo(flat(values.replies().get(i)));
    }
    if (numbers.replies().size() == values.replies().size()) {
      return; // both wait for more, or refuse the same reply: a text may already be one too many
    }
    assertThat(numbers.end()).isEqualTo(End.GARBLED);
    assertThat(holdsText(values.replies().get(numbers.replies().size()))).isTrue();
  }

  private static Outcome inPieces(byte[] bytes, int maxPiece, Reader reader) {
    RespDecoder respDecoder = new RespDecoder();
    List<Object> found = new ArrayList<>();
    Random random = new Random(maxPiece);
    try {
      int at = 0;
      do {
        int length =
            Math.min(
                bytes.length - at,
                maxPiece == bytes.length ? maxPiece : 1 + random.nextInt(maxPiece));
        System.arraycopy(bytes, at, respDecoder.room(length), respDecoder.end(), length);
        respDecoder.wrote(length);
        at += length;
        while (reader.next(respDecoder, found)) {}
      } while (at < bytes.length);
      return new Outcome(found, End.MORE);
    } catch (RespDecoder.RespException e) {
      assertThat(e.getMessage()).isNotBlank();
      return new Outcome(found, End.GARBLED);
    }
  }

  private static boolean nextValue(RespDecoder respDecoder, List<Object> into)
      throws RespDecoder.RespException {
    boolean isThere = respDecoder.nextValue();
    if (isThere) {
      into.add(respDecoder.value());
    }
    return isThere;
  }

  private static boolean nextNumbers(RespDecoder respDecoder, List<Object> into)
      throws RespDecoder.RespException {
    boolean isThere = respDecoder.nextNumbers();
    if (isThere) {
      into.add(
          new Numbers(Arrays.stream(respDecoder.numbers()).boxed().toList(), respDecoder.error()));
    }
    return isThere;
  }

  private static Numbers flat(Object value) {
    List<Long> numbers = new ArrayList<>();
    String[] error = new String[1];
    flatten(value, numbers, error);
    return new Numbers(numbers, error[0]);
  }

  private static void flatten(Object value, List<Long> numbers, String[] error) {
    if (value instanceof Long number) {
      numbers.add(number);
    } else if (value instanceof ErrorReply reply) {
      error[0] = reply.text();
    } else if (value instanceof List<?> list) {
      list.forEach(each -> flatten(each, numbers, error));
    } else {
      assertThat(value).isNull();
    }
  }

  private static boolean holdsText(Object value) {
    return value instanceof String
        || (value instanceof List<?> list
            && list.stream().anyMatch(RespDecoderFuzzTest::holdsText));
  }

  private static byte[] written(List<Object> replies) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replies.forEach(reply -> write(reply, out));
    return out.toByteArray();
  }

  private static void write(Object value, ByteArrayOutputStream out) {
    if (value == null) {
      out.writeBytes("$-1\r\n".getBytes(UTF_8));
    } else if (value instanceof Long number) {
      out.writeBytes((":" + number + "\r\n").getBytes(UTF_8));
    } else if (value instanceof ErrorReply error) {
      out.writeBytes(("-" + error.text() + "\r\n").getBytes(UTF_8));
    } else if (value instanceof List<?> list) {
      out.writeBytes(("*" + list.size() + "\r\n").getBytes(UTF_8));
      list.forEach(each -> write(each, out));
    } else {
      byte[] text = value.toString().getBytes(UTF_8);
      out.writeBytes(("$" + text.length + "\r\n").getBytes(UTF_8));
      out.writeBytes(text);
      out.writeBytes("\r\n".getBytes(UTF_8));
    }
  }
}
