package io.weir.server.gateway.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.ReferenceCountUtil;
import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import io.weir.server.codec.HttpObjectText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Responses over HTTP/1: what is read depends on no border of packets, and has no hidden
 * characters.
 */
class ResponseReaderFuzzTest implements FuzzTarget {
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
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204\r\n\r\n",
            "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.0 404 Not Found\r\nX: a\r\n b\r\n\r\nuntil the end",
            "HTTP/1.1 101 Yes\r\n\r\n\u00ff 204\r\n\r\n",
            "HTTP/1.1 1000 No\r\n: a\r\n\r\n")
        .map(bytes -> bytes.getBytes(ISO_8859_1))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        "\r\n",
        "HTTP/1.1 ",
        "Content-Length: ",
        "Transfer-Encoding: chunked",
        "0\r\n\r\n",
        "\r\n ");
  }

  @Override
  public void run(byte[] input) {
    String whole = decoded(input, input.length);
    assertThat(decoded(input, 1)).as("byte by byte").isEqualTo(whole);
    assertThat(decoded(input, 7)).as("in parts").isEqualTo(whole);
  }

  /** What comes out, up to the first fault. */
  private static String decoded(byte[] input, int part) {
    EmbeddedChannel connection = new EmbeddedChannel(reader());
    StringBuilder found = new StringBuilder();
    boolean isBroken = false;
    for (int at = 0; at < input.length; at += part) {
      byte[] next = Arrays.copyOfRange(input, at, Math.min(input.length, at + part));
      connection.writeInbound(Unpooled.wrappedBuffer(next));
      for (Object each = connection.readInbound(); each != null; each = connection.readInbound()) {
        if (!isBroken && each instanceof HttpObject read) {
          isBroken = read.decoderResult().isFailure();
          if (isBroken) {
            found.append("broken");
          } else {
            show(read, found);
            // What follows is of another protocol: bytes, or broken.
            isBroken = read instanceof HttpResponse head && head.status().code() == 101;
          }
        }
        ReferenceCountUtil.release(each);
      }
    }
    connection.finishAndReleaseAll();
    return found.toString();
  }

  private static ResponseReader reader() {
    ResponseReader reader = new ResponseReader();
    reader.expect(false);
    return reader;
  }

  private static void show(HttpObject each, StringBuilder found) {
    if (each instanceof HttpResponse response) {
      assertThat(response.status().code()).isBetween(0, 999);
      HttpObjectText.requirePrintable(response.status().reasonPhrase().replace('\t', ' '));
      found.append('<').append(response.status());
    }
    HttpObjectText.append(each, found);
  }
}
